// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The rules for the classes and keys of version 1.1. Specification section 7.
extension RowCheck {
    /// Checks that a response does not have a body and lack it as well.
    func checkAbsence(_ keys: AnswerKeys, _ row: Int) throws(ArchiveError) {
        guard try index.row(keys.absent, place(row)) != nil, try index.row(keys.body, place(row)) != nil else { return }
        throw commit.damaged("the response has a body, and is said to lack it", keys.absent, row)
    }

    /// Checks the failure and the role of an entry against its response.
    func checkEntry(_ row: Int) throws(ArchiveError) {
        let entry = try index.reference(.entryAnswer, place(row))
        if entry != nil, try index.row(.entryFailure, place(row)) != nil {
            throw commit.damaged("the entry has both a response and a failure", .entryFailure, row)
        }
        guard let (owner, answer) = entry else { return }
        let keys: AnswerKeys = owner == .redirect ? .redirect : .response
        guard try index.row(keys.absent, answer) != nil else { return }
        guard try commit.integer(.entryRole, row) == ArchiveEntry.Role.withoutBody.rawValue else {
            throw commit.damaged("the entry serves a response whose body is absent", .entryRole, row)
        }
    }

    /// Checks the header list of a record, and that its block is in one place.
    mutating func checkRecord(_ row: Int) throws(ArchiveError) {
        try checkHeaders(.recordHeaders, .recordFill, row, isRequest: true)
        guard try index.row(.recordEntry, place(row)) != nil, try index.row(.recordBlock, place(row)) != nil else {
            return
        }
        throw commit.damaged("the record has both an exchange and a block", .recordBlock, row)
    }

    /// Checks that a page has an absolute URL, and a status and a depth in their ranges.
    mutating func checkPage(_ row: Int) throws(ArchiveError) {
        guard let text = try index.row(.pageURL, place(row)) else {
            throw commit.damaged("missing URL", .pageURL, row)
        }
        guard try targets.isURL(text, in: index) else {
            throw commit.damaged("the URL is not absolute", .pageURL, row)
        }
        _ = try commit.count(.pageStatus, row, atMost: 999)
        _ = try commit.count(.pageDepth, row, atMost: Int(UInt32.max))
    }
}
