// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// A search for the bodies of the old archive that equal or resemble those of a new commit.
struct OriginSearch {
    let old: OldBodies
    let new: CommitImage
    /// The bodies of equal digest that proved to differ, by their rows in the new archive.
    let collisions: Set<Int>

    /// Finds the origin of each body, by rank: one of equal digest and length, or the one with the same URL or dictionary.
    func run() throws(ArchiveError) -> [BodyOrigin] {
        var origins: [BodyOrigin] = []
        for rank in new.ranks.rows.indices {
            let body = try new.archive.archiveBody(new.row(rank))
            let twin = collisions.contains(new.row(rank)) ? nil : try old.stored.body(body.digest, length: body.length)
            origins.append(twin.map { .same(UInt32($0)) } ?? .new)
        }
        let first = new.archive.rows(.body, ofCommit: new.number).lowerBound
        /// Assigns a body of the old archive to a body without an origin.
        func pair(_ body: ArchiveBody, _ other: () throws(ArchiveError) -> ArchiveBody?) throws(ArchiveError) {
            let row = new.archive.number(of: body) - first
            guard row >= 0, row < new.ranks.ranks.count, body.length > 0 else { return }
            let rank = Int(new.ranks.ranks[row])
            guard origins[rank] == .new, let other = try other(), other.length > 0 else { return }
            origins[rank] = .changed(UInt32(old.stored.number(of: other)))
        }
        try new.archive.reader.forEachEntry { entry throws(ArchiveError) in
            if let body = try entry.body {
                try pair(body) { () throws(ArchiveError) in try old.stored.reader.newestBody(forKeyOf: entry) }
            }
            return true
        }
        try pairDictionaries(pair)
        return origins
    }

    private func pairDictionaries(
        _ pair: (ArchiveBody, () throws(ArchiveError) -> ArchiveBody?) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        var earlier: [[UInt8]: Int] = [:]
        for row in 0..<old.stored.dictionaryCount {
            if let name = try old.stored.dictionaryName(row), let body = try old.stored.dictionaryBody(row) {
                earlier[name] = body
            }
        }
        for row in new.archive.rows(.dictionary, ofCommit: new.number) {
            guard let name = try new.archive.dictionaryName(row), let body = try new.archive.dictionaryBody(row) else {
                continue
            }
            try pair(new.archive.archiveBody(body)) { () throws(ArchiveError) in
                try earlier[name].mapTyped { row throws(ArchiveError) in try old.stored.archiveBody(row) }
            }
        }
    }
}

extension ArchiveReader {
    /// Returns the body of the newest response to a GET for the key of an entry of a different archive; nil if there is none, and if the key
    /// is not a URL.
    fileprivate func newestBody(forKeyOf entry: ArchiveEntry) throws(ArchiveError) -> ArchiveBody? {
        guard let url = try? CanonicalURL(utf8: try entry.keyBytes) else { return nil }
        return try self.entry(for: url)?.body
    }
}
