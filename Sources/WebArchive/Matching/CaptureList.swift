// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The stored entries of one URL, newest commit first, up to a limit: a URL with millions of captures must not stop a server.
struct CaptureList {
    /// The maximum number of entries of one URL that are examined.
    static let limit = 1000

    /// Returns the maximum number of entries of each commit that are examined for a request that names a time.
    ///
    /// The nearest one may be in any commit, so that no commit may use up the ``limit`` of the others.
    private static func share(of commitCount: Int) -> Int { max(2, limit / max(1, commitCount)) }

    /// A commit that may hold a key.
    struct Place: Equatable {
        /// The number of the commit.
        let commit: Int
        /// The row of the first entry of the key, if the commit has it; nil if the commit must be searched.
        let row: Int?
    }

    /// A selection of a URL's entries. Those for one request are adjacent (specification section 8.2), so
    /// entries for other requests, in any number, hide none of them.
    enum Selection {
        /// All entries, for any request.
        case all
        /// The entries for a method and a request body: the newest, or those around `time`.
        case request(method: String, bodyDigest: ContentDigest?, time: ArchiveTime? = nil)
        /// The entries for a method and any request body.
        case method(String)

        /// Whether the entries around a time are selected.
        fileprivate var hasTime: Bool { if case .request(_, _, _?) = self { true } else { false } }
    }

    /// The entries, newest commit first, in each in the order of section 8.2; at most ``limit``, or two of each commit.
    private(set) var entries: [ArchiveEntry] = []
    /// Whether the URL has entries at all, selected or not.
    private(set) var isStored = false

    /// Finds the entries of a URL in all commits.
    ///
    /// - Throws: `damaged` or `io`; `limitExceeded` beyond the archive's budget.
    init(of url: CanonicalURL, _ selection: Selection = .all, in archive: ArchiveReader) throws(ArchiveError) {
        try self.init(
            of: url, selection, in: archive,
            places: archive.index.commits.indices.reversed().lazy.map { Place(commit: $0, row: nil) })
    }

    /// - Parameter places: the positions in all commits that may have the URL, newest first.
    init(
        of url: CanonicalURL, _ selection: Selection = .all, in archive: ArchiveReader, places: some Sequence<Place>
    ) throws(ArchiveError) {
        try archive.index.budget?.take(url.bytes.count)
        let share = selection.hasTime ? Self.share(of: archive.index.commits.count) : Self.limit
        let limit = max(Self.limit, selection.hasTime ? 2 * archive.index.commits.count : 0)
        for place in places where entries.count < limit {
            // Looking a key up takes some steps even without a result.
            try archive.index.budget?.take(0)
            let search = CommitCaptures(archive, place.commit)
            let rows = try url.bytes.withBytes { (key) throws(ArchiveError) in
                guard let first = try search.firstRow(of: key, place.row) else { return 0..<0 }
                isStored = true
                return try search.rows(of: key, from: first, selection, atMost: min(share, limit - entries.count))
            }
            entries += rows.map { search.entry($0) }
        }
    }
}

/// A search for the captures of one key in one commit.
private struct CommitCaptures {
    private let archive: ArchiveReader
    private let number: Int
    private let commit: CommitIndex
    private var budget: DecodingBudget? { archive.index.budget }

    init(_ archive: ArchiveReader, _ number: Int) {
        (self.archive, self.number) = (archive, number)
        commit = archive.index.commits[number]
    }

    /// Returns the entry of a row of this commit.
    func entry(_ row: Int) -> ArchiveEntry {
        ArchiveEntry(RowPlace(commit: UInt32(number), row: UInt32(row)), of: archive)
    }

    /// Returns the first row of a key in this commit; nil if the commit does not have the key.
    ///
    /// - Parameter known: the first row of the key, if the commit has it; nil if that is unknown.
    func firstRow(of key: UnsafeRawBufferPointer, _ known: Int?) throws(ArchiveError) -> Int? {
        guard let known else { return try commit.firstEntry(key, budget) }
        return try commit.compareKey(known, with: key) == 0 ? known : nil
    }

    /// Finds the selected rows of those of a key, at most `limit`.
    ///
    /// Ends are found by steps that double, and then by halves: O(log n) comparisons for n captures.
    ///
    /// - Parameter first: the first row of the key.
    func rows(
        of key: UnsafeRawBufferPointer, from first: Int, _ selection: CaptureList.Selection, atMost limit: Int
    ) throws(ArchiveError) -> Range<Int> {
        func isOfKey(_ row: Int) throws(ArchiveError) -> Bool {
            try budget?.take(key.count)
            return try commit.compareKey(row, with: key) == 0
        }
        if case .all = selection {
            return first..<(try end(of: first..<min(commit.entryCount, first + limit), isOfKey))
        }
        let all = first..<(try end(of: first..<commit.entryCount, isOfKey))
        guard case .request(let method, let bodyDigest, let time) = selection else {
            guard case .method(let method) = selection else { return 0..<0 }
            let start = try all.partitioningIndex { (row) throws(ArchiveError) in
                try entry(row).compareRequest(method, nil) >= 0
            }
            let last = min(all.upperBound, start + limit)
            return
                start..<(try end(of: start..<last) { (row) throws(ArchiveError) in try entry(row).hasMethod(method) })
        }
        let start = try all.partitioningIndex { (row) throws(ArchiveError) in
            try entry(row).compareRequest(method, bodyDigest) >= 0
        }
        let group =
            start..<(try end(of: start..<all.upperBound) { (row) throws(ArchiveError) in
                try entry(row).compareRequest(method, bodyDigest) == 0
            })
        guard let time else { return group.prefix(limit) }
        let inTime = try group.partitioningIndex { (row) throws(ArchiveError) in
            !ArchiveTime.isOlder(time, try entry(row).time)
        }
        // Newer ones come before that row, and the nearest is next to it on either side.
        let newer = (group.lowerBound..<inTime).suffix(max(limit / 2, limit - (group.upperBound - inTime)))
        return newer.lowerBound..<min(group.upperBound, newer.lowerBound + limit)
    }

    /// Returns the end of the rows at the start of a range that satisfy a condition, nearly always few.
    private func end(
        of range: Range<Int>, _ holds: (Int) throws(ArchiveError) -> Bool
    ) throws(ArchiveError) -> Int {
        var (low, step) = (range.lowerBound, 1)
        while low + step <= range.upperBound, try holds(low + step - 1) {
            low += step
            step *= 2
        }
        return try (low..<min(range.upperBound, low + step - 1)).partitioningIndex { (row) throws(ArchiveError) in
            try !holds(row)
        }
    }
}

extension [ArchiveEntry] {
    /// Returns the entries for a method and a request body, except those that are kept for unpacking only.
    func serving(_ method: String, _ bodyDigest: ContentDigest?) throws(ArchiveError) -> [ArchiveEntry] {
        var found: [ArchiveEntry] = []
        for entry in self where try entry.role.isServed {
            if try entry.isFor(method: method, bodyDigest: bodyDigest) { found.append(entry) }
        }
        return found
    }

    /// Returns the entry nearest to a time, of two at the same distance the earlier one; without a time, the newest one.
    ///
    /// An unknown time counts as 1970-01-01T00:00:00Z. Among equal times the earlier element wins. Specification
    /// section 8.5.
    func captured(at time: ArchiveTime?) throws(ArchiveError) -> ArchiveEntry? {
        var best: (time: ArchiveTime?, entry: ArchiveEntry)?
        for entry in self {
            let own = try entry.time
            if best.map({ ArchiveTime.isPreferred(own, to: $0.time, at: time) }) ?? true { best = (own, entry) }
        }
        return best?.entry
    }

    /// Whether the entries have different times, so that a request can choose one of them by a time.
    var haveSeveralTimes: Bool {
        get throws(ArchiveError) {
            guard count > 1 else { return false }
            let time = try self[0].time
            for entry in dropFirst() where try entry.time != time { return true }
            return false
        }
    }
}

extension ArchiveReader {
    /// Finds the newest entry for a `GET` of a URL, or the one nearest to a time, without regard to `Vary`; at the cost of
    /// at most ``CaptureList/limit`` entries.
    package func newestServed(_ url: CanonicalURL, at time: ArchiveTime? = nil) throws(ArchiveError) -> ArchiveEntry? {
        try CaptureList(of: url, .request(method: "GET", bodyDigest: nil, time: time), in: self).entries
            .serving("GET", nil).captured(at: time)
    }
}
