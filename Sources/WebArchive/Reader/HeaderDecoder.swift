// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A decoder that turns header lists back to header fields. Specification section 7, "HeaderList" and "HeaderField".
struct HeaderDecoder {
    let index: ArchiveIndex
    /// The entry, whose time form 4 represents.
    let entry: RowPlace

    /// Reads the fields of a request.
    ///
    /// - Throws: `damaged` also for forms that only a response can have.
    func requestFields(_ request: RowPlace) throws(ArchiveError) -> HeaderFields {
        try fields(of: request, .requestHeaders, fill: .requestFill)
    }

    /// Reads the fields of a row of a class without derived values.
    ///
    /// - Throws: `damaged` also for forms that only a response can have.
    func fields(of row: RowPlace, _ headers: IndexKey, fill: IndexKey) throws(ArchiveError) -> HeaderFields {
        guard let list = try index.row(headers, row) else { return [] }
        return try fields(list, fill: index.row(fill, row), answer: nil)
    }

    /// Reads the fields of a response, or those of one name, of which only the values are then decoded.
    ///
    /// - Parameter name: the name of the fields that are wanted; nil for all.
    func answerFields(
        _ answer: RowPlace, _ keys: AnswerKeys, named name: String? = nil
    ) throws(ArchiveError) -> HeaderFields {
        guard let list = try index.row(keys.headers, answer) else { return [] }
        return try fields(list, fill: index.row(keys.fill, answer), answer: (answer, keys), named: name)
    }

    private func fields(
        _ list: RowPlace, fill: RowPlace?, answer: (row: RowPlace, keys: AnswerKeys)?, named wanted: String? = nil
    ) throws(ArchiveError) -> HeaderFields {
        let rows = try HeaderListRows(of: list, in: index)
        var nextFill = fill
        var total = 0
        var fields = HeaderFields()
        for field in rows {
            try index.budget?.take(0)
            let name = try rows.name(of: field)
            if let wanted, !name.equalsIgnoringASCIICase(wanted.utf8) {
                if let place = nextFill, try FieldValueEncoding(of: field, in: index) == .fill {
                    nextFill = place.next
                }
                continue
            }
            let value = try value(
                of: field, try FieldValueEncoding(of: field, in: index), fill: &nextFill, answer: answer)
            try index.budget?.take(name.count + value.count)
            total += name.count + value.count
            // A few strings, each named thousands of times, must not become gigabytes.
            guard total <= FormatLimits.maximumFieldListLength else {
                throw index.commit(list).damaged("the header list exceeds 16 MiB", .listCount, Int(list.row))
            }
            fields.append(HeaderField(nameBytes: Array(name), valueBytes: value))
        }
        return fields
    }

    private func value(
        of field: RowPlace, _ form: FieldValueEncoding, fill: inout RowPlace?,
        answer: (row: RowPlace, keys: AnswerKeys)?
    ) throws(ArchiveError) -> [UInt8] {
        let commit = index.commit(field)
        switch (form, answer) {
        case (.literal, _):
            return try index.string(.fieldValue, field).map(Array.init) ?? []
        case (.fill, _):
            guard let place = fill else { throw commit.missingFill(.fieldForm, field.row) }
            fill = place.next
            return Array(try index.string(place))
        case (let form, .some(let answer)):
            if let value = try derived(form, answer.row, answer.keys) { return Array(value.utf8) }
            fallthrough
        default:
            throw FieldValueEncoding.unknown(form.rawValue, commit, field)
        }
    }

    private func derived(_ form: FieldValueEncoding, _ answer: RowPlace, _ keys: AnswerKeys) throws(ArchiveError)
        -> String?
    {
        let body = try index.row(keys.body, answer)
        switch form {
        case .contentLength:
            guard let body else { return "0" }
            return String(
                try index.commit(body).count(
                    .bodyLength, Int(body.row), atMost: Int(FormatLimits.maximumFileLength)))
        case .lastModified:
            return HTTPDate.text(nanoseconds: try index.commit(answer).integer(keys.modified, Int(answer.row)))
        case .date:
            return HTTPDate.text(nanoseconds: try index.commit(entry).integer(.entryTime, Int(entry.row)))
        case .digestTag:
            let digest = try body.mapTyped { (body) throws(ArchiveError) in
                try index.commit(body).digest(Int(body.row))
            }
            return "\"\(digest ?? .ofNothing)\""
        case .literal, .fill:
            return nil
        }
    }
}
