// SPDX-License-Identifier: Apache-2.0

extension CommitBuilder {
    /// Adds a record of a WARC file, after those that were added before. Specification section 7, "Record".
    ///
    /// - Parameters:
    ///   - head: the version line, the named fields and the empty line; nil if they are the serialised head.
    ///   - block: the block; nil if it is that of the exchange, or is not kept.
    ///   - exchange: the exchange in whose parts the block is kept; nil for none.
    /// - Throws: `invalidArgument` for a block beside an exchange; `limitExceeded`.
    package func add(
        _ record: ArchiveRecord, head: BodyReference? = nil, block: BodyReference? = nil,
        exchange: EntryReference? = nil
    ) throws(ArchiveError) {
        try checkUnfinished()
        guard block == nil || exchange == nil else {
            throw ArchiveError(.invalidArgument, "a record with both a block and an exchange")
        }
        try checkRowCount(.record, draft.records.count)
        let (list, fill) = try add(record.headers) { _ in nil }
        var row = IndexDraft.Record()
        row.version = try draft.strings.intern(record.version == ArchiveRecord.defaultVersion ? nil : record.version)
        (row.headers, row.fill) = (list, fill)
        row.end = try draft.strings.intern(record.end == ArchiveRecord.defaultEnd ? nil : record.end)
        (row.head, row.block) = (head?.number ?? 0, block?.number ?? 0)
        if let exchange {
            (row.entry, row.part) = (try number(of: exchange), UInt8(record.part.rawValue))
        }
        draft.records.append(row)
    }

    /// Adds a page to the list of pages. Specification section 7, "Page".
    ///
    /// - Parameters:
    ///   - text: the text of the document, in UTF-8; nil for none.
    ///   - screenshot: a PNG; nil for none.
    /// - Throws: `invalidArgument` if the URL is not absolute; `limitExceeded`.
    package func add(
        _ page: ArchivePage, text: BodyReference? = nil, screenshot: BodyReference? = nil
    ) throws(ArchiveError) {
        try checkUnfinished()
        guard (try? CanonicalURL(page.url)) != nil else {
            throw ArchiveError(.invalidArgument, "the page's address '\(page.url)' is not a URL")
        }
        guard (0...999).contains(page.status), let depth = UInt32(exactly: page.depth) else {
            throw ArchiveError(.invalidArgument, "the status or the depth of page \(page.url) is out of range")
        }
        try checkRowCount(.page, draft.pages.count)
        var row = IndexDraft.Page(url: try draft.strings.intern(page.url))
        row.title = try draft.strings.intern(page.title)
        row.time = page.time?.nanoseconds ?? 0
        (row.text, row.screenshot) = (text?.number ?? 0, screenshot?.number ?? 0)
        (row.status, row.isSeed, row.depth) = (UInt16(page.status), page.isSeed, depth)
        draft.pages.append(row)
    }

    /// Returns the number of an entry through all commits, from 1, as the draft numbers them.
    private func number(of entry: EntryReference) throws(ArchiveError) -> UInt32 {
        if let committed = entry.committed { return committed }
        guard let earlier = entry.earlier else { return draft.firstRow(.entry) + UInt32(entry.number) + 1 }
        return UInt32(earlier.archive.index.number(.entry, earlier.place)) + 1
    }

    private func checkRowCount(_ owner: IndexClass, _ count: Int) throws(ArchiveError) {
        guard UInt64(draft.firstRow(owner)) + UInt64(count) < FormatLimits.maximumRowCount else {
            throw ArchiveError(.limitExceeded, "too many rows of \(owner.name)")
        }
    }
}
