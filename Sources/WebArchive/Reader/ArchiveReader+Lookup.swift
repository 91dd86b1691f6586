// SPDX-License-Identifier: Apache-2.0

extension ArchiveReader {
    /// Finds the stored captures of a request, newest first (specification section 8.5).
    ///
    /// Entries without a response are among them, those that are kept for unpacking are not. Costs a look into the hash
    /// table of each commit, and one key for each entry of the URL; the list has no limit.
    ///
    /// - Parameters:
    ///   - url: the key of the entries.
    ///   - method: the method, compared byte by byte, case-sensitive; `GET` by default.
    ///   - bodyDigest: the digest of the request's body; nil, the default, for none.
    /// - Returns: the captures by ``ArchiveEntry/time``, where an unknown time counts as 1970. Among equal times those
    ///   of later commits come first. None if nothing is stored.
    /// - Throws: `damaged` or `io`.
    public func captures(
        of url: CanonicalURL, method: String = "GET", bodyDigest: ContentDigest? = nil
    ) throws(ArchiveError) -> [ArchiveEntry] {
        var found: [ArchiveEntry] = []
        try forEachRow(of: url) { entry throws(ArchiveError) in
            if try entry.role.isServed, try entry.isFor(method: method, bodyDigest: bodyDigest) {
                found.append(entry)
            }
            return true
        }
        if index.commits.count > 1, found.count > 1 { found = try Self.newestFirst(found) }
        return found
    }

    /// Finds the newest capture of a request. It takes a few hundred nanoseconds when the index is in memory.
    ///
    /// This compares URL, method and body only; ``ArchiveMatcher`` adds `Vary` and the rules that a user can switch. In
    /// an archive of several commits all captures of the request are looked at, as ``captures(of:method:bodyDigest:)``
    /// does.
    ///
    /// - Parameters:
    ///   - url: the key of the entry.
    ///   - method: the method, compared byte by byte, case-sensitive; `GET` by default.
    ///   - bodyDigest: the digest of the request's body; nil, the default, for none.
    /// - Returns: the entry, whose ``ArchiveEntry/response`` is nil if it states that there is none; nil if nothing
    ///   is stored.
    /// - Throws: `damaged` or `io`.
    public func entry(
        for url: CanonicalURL, method: String = "GET", bodyDigest: ContentDigest? = nil
    ) throws(ArchiveError) -> ArchiveEntry? {
        if index.commits.count > 1 {
            return try captures(of: url, method: method, bodyDigest: bodyDigest).first
        }
        var found: ArchiveEntry?
        try forEachRow(of: url) { entry throws(ArchiveError) in
            if try entry.role.isServed, try entry.isFor(method: method, bodyDigest: bodyDigest) { found = entry }
            return found == nil
        }
        return found
    }

    /// Finds the newest capture of a `GET` request for a URL given as text.
    ///
    /// - Parameter url: any spelling of an absolute URL: it is made canonical (specification section 8.1).
    /// - Returns: as ``entry(for:method:bodyDigest:)``.
    /// - Throws: `invalidArgument` if the text is not an absolute URL, with the ``InvalidURL`` as its cause; `damaged`
    ///   or `io`.
    public func entry(for url: String) throws(ArchiveError) -> ArchiveEntry? {
        try entry(for: CanonicalURL(parsing: url))
    }

    /// Calls `work` with the rows whose key is `url`, newest commit first, until it returns false.
    ///
    /// The rows of a key are adjacent (specification section 8.2), so only the first one is looked up.
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
    /// Canonicalises an absolute URL, as ``init(_:)``, with the error of this library.
    ///
    /// - Parameter text: an absolute URL of at most ``maximumLength`` bytes.
    /// - Throws: `invalidArgument`, with the ``InvalidURL`` as its cause.
    public init(parsing text: String) throws(ArchiveError) {
        do {
            try self.init(text)
        } catch {
            throw ArchiveError(.invalidArgument, "\(text) is not an absolute URL", cause: error)
        }
    }
}
