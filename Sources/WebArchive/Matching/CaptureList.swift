// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The stored entries of one URL, newest commit first, up to a limit: a URL with millions of captures must not stop a server.
struct CaptureList {
    /// Entries of one URL that are looked at.
    static let limit = 1000

    /// A commit that may hold a key.
    struct Place: Equatable {
        let commit: Int
        /// The row of the first entry of the key, if the commit holds it; nil: the commit has to be searched.
        let row: Int?
    }

    private(set) var entries: [ArchiveEntry] = []
    /// Whether there are more entries than the limit.
    private(set) var isCut = false

    init(of url: CanonicalURL, in archive: ArchiveReader) throws(ArchiveError) {
        try self.init(
            of: url, in: archive,
            places: archive.index.commits.indices.reversed().lazy.map { Place(commit: $0, row: nil) })
    }

    /// - Parameter places: all commits that may hold the URL, newest first.
    init(
        of url: CanonicalURL, in archive: ArchiveReader, places: some Sequence<Place>
    ) throws(ArchiveError) {
        try archive.index.budget?.take(url.bytes.count)
        for place in places where !isCut {
            let commit = archive.index.commits[place.commit]
            // Looking a key up takes some steps where nothing is found.
            try archive.index.budget?.take(0)
            let found = try url.bytes.withBytes { (key) throws(ArchiveError) in
                try Self.rows(
                    of: key, in: commit, from: place.row, atMost: Self.limit + 1 - entries.count, archive.index.budget)
            }
            entries += found.map { ArchiveEntry(RowPlace(commit: UInt32(place.commit), row: UInt32($0)), of: archive) }
            isCut = entries.count > Self.limit
        }
        if isCut { entries.removeLast(entries.count - Self.limit) }
    }

    /// - Parameter row: the first row of the key, if the commit holds it; nil if that is not known.
    private static func rows(
        of key: UnsafeRawBufferPointer, in commit: CommitIndex, from row: Int?, atMost limit: Int,
        _ budget: DecodingBudget?
    ) throws(ArchiveError) -> Range<Int> {
        let known =
            if let row { try commit.compareKey(row, with: key) == 0 ? row : nil } else {
                try commit.firstEntry(key, budget)
            }
        guard let first = known else { return 0..<0 }
        var end = first + 1
        while end < commit.entryCount, end - first < limit, try commit.compareKey(end, with: key) == 0 {
            try budget?.take(key.count)
            end += 1
        }
        return first..<end
    }
}

extension [ArchiveEntry] {
    /// Those for a method and a request body.
    func answering(_ method: String, _ bodyDigest: ContentDigest?) throws(ArchiveError) -> [ArchiveEntry] {
        var found: [ArchiveEntry] = []
        for entry in self where try entry.role.isAnswered {
            if try entry.isFor(method: method, bodyDigest: bodyDigest) { found.append(entry) }
        }
        return found
    }

    /// The newest entry that is not later than `time`, else the oldest one; without a time, the newest one.
    ///
    /// An unknown time counts as 1970-01-01T00:00:00Z. Among equal times the earlier element wins.
    func captured(at time: ArchiveTime?) throws(ArchiveError) -> ArchiveEntry? {
        var newest: (time: ArchiveTime?, entry: ArchiveEntry)?
        var oldest: (time: ArchiveTime?, entry: ArchiveEntry)?
        for entry in self {
            let own = try entry.time
            let isInTime = time.map { limit in !ArchiveTime.isOlder(limit, own) } ?? true
            if isInTime, newest.map({ ArchiveTime.isOlder($0.time, own) }) ?? true { newest = (own, entry) }
            if oldest.map({ ArchiveTime.isOlder(own, $0.time) }) ?? true { oldest = (own, entry) }
        }
        return newest?.entry ?? oldest?.entry
    }
}

extension ArchiveReader {
    /// The newest entry for a `GET` of a URL without regard to `Vary`; at the cost of at most ``CaptureList/limit`` entries.
    package func newestAnswered(_ url: CanonicalURL) throws(ArchiveError) -> ArchiveEntry? {
        try CaptureList(of: url, in: self).entries.answering("GET", nil).captured(at: nil)
    }
}
