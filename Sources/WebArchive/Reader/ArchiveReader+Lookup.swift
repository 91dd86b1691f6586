// SPDX-License-Identifier: Apache-2.0

extension ArchiveReader {
    /// The stored captures of a request, newest first. Specification section 8.5.
    ///
    /// - Parameters:
    ///   - method: compared as it stands, case-sensitive.
    ///   - bodyDigest: digest of the request's body; nil for none.
    /// - Throws: `damaged` or `io`.
    public func captures(
        of url: CanonicalURL, method: String = "GET", bodyDigest: ContentDigest? = nil
    ) throws(ArchiveError) -> [ArchiveEntry] {
        var found: [ArchiveEntry] = []
        try forEachRow(of: url) { entry throws(ArchiveError) in
            if try entry.role.isAnswered, try entry.isFor(method: method, bodyDigest: bodyDigest) {
                found.append(entry)
            }
            return true
        }
        if index.commits.count > 1, found.count > 1 { found = try Self.newestFirst(found) }
        return found
    }

    /// The newest capture of a request, or nil. Takes a few hundred nanoseconds when the index is in memory.
    ///
    /// This compares URL, method and body only; ``ArchiveMatcher`` adds `Vary` and the rules that a user can switch.
    ///
    /// - Throws: `damaged` or `io`.
    public func entry(
        for url: CanonicalURL, method: String = "GET", bodyDigest: ContentDigest? = nil
    ) throws(ArchiveError) -> ArchiveEntry? {
        if index.commits.count > 1 {
            return try captures(of: url, method: method, bodyDigest: bodyDigest).first
        }
        var found: ArchiveEntry?
        try forEachRow(of: url) { entry throws(ArchiveError) in
            if try entry.role.isAnswered, try entry.isFor(method: method, bodyDigest: bodyDigest) { found = entry }
            return found == nil
        }
        return found
    }

    /// The newest capture of a `GET` request for a URL given as text.
    ///
    /// - Throws: `invalidArgument` if the text is not an absolute URL; `damaged` or `io`.
    public func entry(for url: String) throws(ArchiveError) -> ArchiveEntry? {
        try entry(for: CanonicalURL(parsing: url))
    }

    /// Calls `work` with the rows whose key is `url`, newest commit first, until it gives false.
    func forEachRow(
        of url: CanonicalURL, _ work: (ArchiveEntry) throws(ArchiveError) -> Bool
    ) throws(ArchiveError) {
        for (number, commit) in index.commits.enumerated().reversed() {
            let goesOn = try url.bytes.withBytes { (key) throws(ArchiveError) in
                guard var row = try commit.firstEntry(key) else { return true }
                while true {
                    try index.budget?.take(key.count)
                    guard try work(ArchiveEntry(RowPlace(commit: UInt32(number), row: UInt32(row)), of: self)) else {
                        return false
                    }
                    row += 1
                    guard row < commit.entryCount, try commit.compareKey(row, with: key) == 0 else { return true }
                }
            }
            guard goesOn else { return }
        }
    }

    private static func newestFirst(_ entries: [ArchiveEntry]) throws(ArchiveError) -> [ArchiveEntry] {
        var timed: [(time: ArchiveTime?, entry: ArchiveEntry)] = []
        for entry in entries { timed.append((try entry.time, entry)) }
        // Sorting is stable: among equal times the order stays.
        return timed.sorted { ArchiveTime.isOlder($1.time, $0.time) }.map(\.entry)
    }
}

extension CanonicalURL {
    /// Reads an absolute URL; throws `invalidArgument`.
    public init(parsing text: String) throws(ArchiveError) {
        do {
            try self.init(text)
        } catch {
            throw ArchiveError(.invalidArgument, "\(text) is not an absolute URL", cause: error)
        }
    }
}
