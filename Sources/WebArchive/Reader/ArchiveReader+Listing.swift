// SPDX-License-Identifier: Apache-2.0

extension ArchiveReader {
    /// Lists the entries whose canonical URL starts with `prefix`, in the order of their keys, of all
    /// commits.
    ///
    /// Among entries of one key those of later commits come first; within a commit they are in the order of section
    /// 8.2: by method, by the digest of the request's body, then the newest first. Entries of every
    /// ``ArchiveEntry/Role`` are listed. Costs a binary search in each commit, O(log n), and memory for one key of
    /// each.
    ///
    /// - Parameters:
    ///   - prefix: the first bytes of the key, compared without canonicalisation. Empty by default, for
    ///     all entries.
    ///   - last: an entry of this archive; begins with the one after it, at the cost of one more search. Nil by
    ///     default.
    /// - Returns: a cursor at the first entry.
    /// - Throws: `damaged` or `io`.
    public func entryCursor(
        prefix: String = "", after last: ArchiveEntry? = nil
    ) throws(ArchiveError) -> EntryCursor {
        let prefix = Array(prefix.utf8)
        var rows: [Int] = []
        for number in index.commits.indices { rows.append(try firstRow(number, prefix, after: last)) }
        return try EntryCursor(self, prefix, from: rows)
    }

    /// Calls `work` with the entries that ``entryCursor(prefix:after:)`` lists. It ends when `work` returns false.
    ///
    /// It takes memory for one entry of each commit, for any number of entries.
    ///
    /// ```swift
    /// var pages = 0
    /// try archive.forEachEntry(prefix: "https://notes.example/") { entry throws(ArchiveError) in
    ///     if try entry.kind == .response { pages += 1 }
    ///     return pages < 100
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - prefix: the prefix, as in ``entryCursor(prefix:after:)``.
    ///   - last: the last entry, as in ``entryCursor(prefix:after:)``.
    ///   - work: a function that returns whether to continue.
    /// - Throws: `damaged`, `io`, and errors of `work`.
    public func forEachEntry(
        prefix: String = "", after last: ArchiveEntry? = nil, _ work: (ArchiveEntry) throws(ArchiveError) -> Bool
    ) throws(ArchiveError) {
        var cursor = try entryCursor(prefix: prefix, after: last)
        while let entry = try cursor.next(), try work(entry) {}
    }

    /// Returns the row of a commit at which a listing starts.
    private func firstRow(
        _ number: Int, _ prefix: [UInt8], after last: ArchiveEntry?
    ) throws(ArchiveError) -> Int {
        let commit = index.commits[number]
        let first = try prefix.withBytes { (bytes) throws(ArchiveError) in try commit.lowerBound(bytes) }
        guard let last else { return first }
        if number == last.place.commit { return max(first, Int(last.place.row) + 1) }
        // Of equal keys those of newer commits have been listed.
        let start = try number > last.place.commit ? last.keyBytes + [0] : last.keyBytes
        return max(first, try start.withBytes { (bytes) throws(ArchiveError) in try commit.lowerBound(bytes) })
    }

    /// Returns all entries whose canonical URL starts with `prefix`. For archives of modest size; see
    /// ``forEachEntry(prefix:after:_:)``.
    ///
    /// Entries are handles of a few words, but all of them are in memory at once.
    ///
    /// - Parameter prefix: the prefix, as in ``entryCursor(prefix:after:)``.
    /// - Returns: the entries in the order of that cursor.
    /// - Throws: `damaged` or `io`.
    public func entries(prefix: String = "") throws(ArchiveError) -> [ArchiveEntry] {
        var entries: [ArchiveEntry] = []
        try forEachEntry(prefix: prefix) { entry throws(ArchiveError) in
            entries.append(entry)
            return true
        }
        return entries
    }

    /// Reads the metadata by name, the newest value of each (specification section 7, "Metadata").
    ///
    /// Values that are bodies are left out, see ``metadataBody(_:)``, and so are names whose newest row removes them.
    /// It reads the metadata of all commits at each call. In names and values, U+FFFD replaces bytes that are
    /// not UTF-8.
    ///
    /// - Returns: the values, by such names as `title`, `mainPage`, `language` and `creator`.
    /// - Throws: `damaged` or `io`; `limitExceeded` if names and values exceed 16 MiB in total, with 64 bytes for
    ///   each (specification section 10).
    public func metadata() throws(ArchiveError) -> [String: String] {
        var values: [String: String] = [:]
        try forEachNewestMetadata { name, place, left throws(ArchiveError) in
            guard let value = try index.string(.metadataValue, place) else { return true }
            try Self.take(value.count, from: &left)
            let name = String(untrusted: name)
            // Of two names that are the same as text, and not byte by byte, the newer one counts.
            if values[name] == nil { values[name] = String(untrusted: value) }
            return true
        }
        return values
    }

    /// Returns the newest row of each name, newest first.
    ///
    /// - Throws: as ``metadata()``.
    package func newestMetadata() throws(ArchiveError) -> [MetadataRow] {
        var rows: [MetadataRow] = []
        try forEachNewestMetadata { name, place, left throws(ArchiveError) in
            var row = MetadataRow(nameBytes: name)
            if let value = try index.string(.metadataValue, place) {
                try Self.take(value.count, from: &left)
                row.text = Array(value)
            }
            row.body = try index.row(.metadataBody, place).mapTyped(body)
            rows.append(row)
            return true
        }
        return rows
    }

    /// Finds a metadata value that is a body, such as an icon (specification section 7, "Metadata").
    ///
    /// - Parameter name: the name, compared byte by byte.
    /// - Returns: the newest value; nil if there is none, or it is text, or was removed.
    /// - Throws: as ``metadata()``.
    public func metadataBody(_ name: String) throws(ArchiveError) -> ArchiveBody? {
        var found: RowPlace?
        try forEachNewestMetadata { other, place, _ throws(ArchiveError) in
            guard other.elementsEqual(name.utf8) else { return true }
            found = try index.row(.metadataBody, place)
            return false
        }
        return try found.mapTyped(body)
    }

    /// Calls `work` with the newest row of each name, newest first, and with the bytes that may still be decoded, until
    /// it returns false.
    ///
    /// Rows are gone through from the last commit back, so that the first row of a name is the one that counts.
    private func forEachNewestMetadata(
        _ work: ([UInt8], RowPlace, inout Int) throws(ArchiveError) -> Bool
    ) throws(ArchiveError) {
        var left = FormatLimits.maximumMetadataLength
        var seen: Set<[UInt8]> = []
        for (number, commit) in index.commits.enumerated().reversed() {
            for row in (0..<commit.rowCount(.metadata)).reversed() {
                let place = RowPlace(commit: UInt32(number), row: UInt32(row))
                guard let bytes = try index.string(.metadataName, place) else {
                    throw commit.damaged("missing name", .metadataName, row)
                }
                try Self.take(bytes.count, from: &left)
                let name = Array(bytes)
                if try index.row(.metadataValue, place) != nil, try index.row(.metadataBody, place) != nil {
                    throw commit.damaged("the metadata item has both a value and a body", .metadataBody, row)
                }
                guard seen.insert(name).inserted else { continue }
                guard try work(name, place, &left) else { return }
            }
        }
    }

    private static func take(_ count: Int, from left: inout Int) throws(ArchiveError) {
        left -= count + DecodingBudget.valueCost
        guard left >= 0 else {
            throw ArchiveError(
                .limitExceeded, "the metadata item exceeds \(FormatLimits.maximumMetadataLength) bytes")
        }
    }
}
