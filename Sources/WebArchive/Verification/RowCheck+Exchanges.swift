// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The rules for requests, responses, header lists and metadata. Specification section 7.
extension RowCheck {
    /// Checks the method and the header list of a request.
    mutating func checkRequest(_ row: Int) throws(ArchiveError) {
        if let method = try index.string(.requestMethod, place(row)), method.isEmpty {
            throw commit.damaged("empty method", .requestMethod, row)
        }
        try checkHeaders(.requestHeaders, .requestFill, row, isRequest: true)
    }

    /// Checks that a status is 100 to 999.
    func checkStatus(_ keys: AnswerKeys, _ row: Int) throws(ArchiveError) {
        let status = try commit.integer(keys.status, row)
        guard (100...999).contains(status) else { throw commit.damaged("invalid status \(status)", keys.status, row) }
    }

    /// Checks that a redirect has a target, and that this is an absolute URL.
    mutating func checkTarget(_ row: Int) throws(ArchiveError) {
        guard let text = try index.row(.redirectTarget, place(row)) else {
            throw commit.damaged("missing redirect target", .redirectTarget, row)
        }
        guard try targets.isURL(text, in: index) else {
            throw commit.damaged("the redirect target is not an absolute URL", .redirectTarget, row)
        }
    }

    /// Checks the header list of a request or a response: its forms, the strings that fill it, and its length.
    mutating func checkHeaders(
        _ headers: IndexKey, _ fill: IndexKey, _ row: Int, isRequest: Bool
    ) throws(ArchiveError) {
        let owner = place(row)
        guard let list = try index.row(headers, owner) else { return }
        guard let profile = try lists.profile(list) else {
            throw commit.damaged("not checked, since the header lists share too many fields", headers, row)
        }
        if isRequest, let place = profile.derivedPlace {
            let fields = try HeaderListRows(of: list, in: index)
            throw index.commits[Int(fields.commit)].damaged(
                "invalid field form for a request", .fieldForm, fields.rows.lowerBound + place)
        }
        var length = profile.length
        if let (commit, rows) = try profile.fillRows(from: index.row(fill, owner), owner, fill, in: index) {
            // Texts of consecutive rows are adjacent.
            let last = RowPlace(commit: commit, row: UInt32(rows.upperBound - 1))
            let (texts, limit) = (index.commit(last), Int(FormatLimits.maximumFileLength))
            length += try texts.count(.stringText, rows.upperBound - 1, atMost: limit) + stringLength(last)
            length -= try texts.count(.stringText, rows.lowerBound, atMost: limit)
        }
        guard length <= FormatLimits.maximumFieldListLength else {
            throw commit.damaged("the header list exceeds 16 MiB", headers, row)
        }
    }

    /// Checks that the fields of a list exist.
    func checkList(_ row: Int) throws(ArchiveError) {
        _ = try HeaderListRows(of: place(row), in: index)
    }

    /// Checks that a field has a name, and a known form.
    func checkField(_ row: Int) throws(ArchiveError) {
        guard try index.row(.fieldName, place(row)) != nil else {
            throw commit.damaged("missing name", .fieldName, row)
        }
        _ = try FieldValueEncoding(of: place(row), in: index)
    }

    /// Checks that a value has a name, and is not both text and a body.
    func checkMetadata(_ row: Int) throws(ArchiveError) {
        guard try index.row(.metadataName, place(row)) != nil else {
            throw commit.damaged("missing name", .metadataName, row)
        }
        if try index.row(.metadataValue, place(row)) != nil, try index.row(.metadataBody, place(row)) != nil {
            throw commit.damaged("the metadata item has both a value and a body", .metadataBody, row)
        }
    }
}
