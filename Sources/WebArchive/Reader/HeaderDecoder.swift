// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// Header lists back to header fields. Specification section 7, "HeaderList" and "HeaderField".
struct HeaderDecoder {
    let index: ArchiveIndex
    let entry: RowPlace

    func requestFields(_ request: RowPlace) throws(ArchiveError) -> HeaderFields {
        guard let list = try index.row(.requestHeaders, request) else { return [] }
        return try fields(list, fill: index.row(.requestFill, request), answer: nil)
    }

    /// - Parameter name: of the fields that are wanted; nil for all.
    func answerFields(
        _ answer: RowPlace, _ keys: AnswerKeys, named name: String? = nil
    ) throws(ArchiveError) -> HeaderFields {
        guard let list = try index.row(keys.headers, answer) else { return [] }
        return try fields(list, fill: index.row(keys.fill, answer), answer: (answer, keys), named: name)
    }

    private func fields(
        _ list: RowPlace, fill: RowPlace?, answer: (row: RowPlace, keys: AnswerKeys)?, named wanted: String? = nil
    ) throws(ArchiveError) -> HeaderFields {
        let commit = index.commit(list)
        let count = try commit.count(.listCount, Int(list.row), atMost: FormatLimits.maximumFieldCount)
        guard count > 0 else { return [] }
        guard let first = try index.row(.listFirst, list) else {
            throw commit.damaged("fields without a first one", .listFirst, Int(list.row))
        }
        guard Int(first.row) + count <= index.commit(first).rowCount(.headerField) else {
            throw commit.damaged("fields that are not there", .listCount, Int(list.row))
        }
        var nextFill = fill
        var total = 0
        var fields = HeaderFields()
        for number in 0..<UInt32(count) {
            let field = RowPlace(commit: first.commit, row: first.row + number)
            try index.budget?.take(0)
            guard let name = try index.string(.fieldName, field) else {
                throw index.commit(field).damaged("a field without a name", .fieldName, Int(field.row))
            }
            if let wanted, !name.equalsIgnoringASCIICase(wanted.utf8) {
                if let place = nextFill, try HeaderListProfile.form(of: field, in: index) == .fill {
                    nextFill = place.next
                }
                continue
            }
            let value = try value(of: field, fill: &nextFill, answer: answer)
            try index.budget?.take(name.count + value.count)
            total += name.count + value.count
            // A few strings, each named thousands of times, must not become gigabytes.
            guard total <= FormatLimits.maximumFieldListLength else {
                throw commit.damaged("a header list of more than 16 MiB", .listCount, Int(list.row))
            }
            fields.append(HeaderField(nameBytes: Array(name), valueBytes: value))
        }
        return fields
    }

    private func value(
        of field: RowPlace, fill: inout RowPlace?, answer: (row: RowPlace, keys: AnswerKeys)?
    ) throws(ArchiveError) -> [UInt8] {
        let commit = index.commit(field)
        let number = try commit.integer(.fieldForm, Int(field.row))
        let form = HeaderForm(rawValue: number)
        switch (form, answer) {
        case (.literal, _):
            return try index.string(.fieldValue, field).map(Array.init) ?? []
        case (.fill, _):
            guard let place = fill else { throw commit.damaged("nothing fills a field", .fieldForm, Int(field.row)) }
            fill = place.next
            return Array(try index.string(place))
        case (.some(let form), .some(let answer)):
            if let value = try derived(form, answer.row, answer.keys) { return Array(value.utf8) }
            throw commit.damaged("form \(number)", .fieldForm, Int(field.row))
        default:
            throw commit.damaged("form \(number)", .fieldForm, Int(field.row))
        }
    }

    private func derived(_ form: HeaderForm, _ answer: RowPlace, _ keys: AnswerKeys) throws(ArchiveError) -> String? {
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
