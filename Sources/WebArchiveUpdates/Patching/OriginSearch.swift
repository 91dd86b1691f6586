// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// A search for the bodies of the old archive that equal or resemble those of a new one.
///
/// One pass over the entries of the new archive, at the first call, finds the origins for all commits.
final class OriginSearch {
    private let old: OldBodies
    private let new: StoredArchive
    /// The number of the first commit whose origins are searched.
    private let firstCommit: Int
    /// The bodies of equal digest that proved to differ, by their rows in the new archive.
    private let collisions: Set<Int>
    /// The origins by row in the new archive, or the error; nil before the first call.
    private var found: Result<[BodyOrigin], ArchiveError>?

    /// - Parameter firstCommit: the first commit of the new archive whose origins are needed.
    init(old: OldBodies, new: StoredArchive, firstCommit: Int, collisions: Set<Int>) {
        (self.old, self.new, self.firstCommit, self.collisions) = (old, new, firstCommit, collisions)
    }

    /// Returns the origin of each body of a commit, by rank: one of equal digest and length, or the one with the same URL or dictionary.
    func origins(of commit: CommitImage) throws(ArchiveError) -> [BodyOrigin] {
        let result = found ?? Result { () throws(ArchiveError) in try search() }
        found = result
        let origins = try result.get()
        return commit.ranks.rows.indices.map { origins[commit.row($0)] }
    }

    /// Finds the origins by row.
    private func search() throws(ArchiveError) -> [BodyOrigin] {
        var origins = [BodyOrigin](repeating: .new, count: new.bodyCount)
        let rows = new.rows(.body, ofCommit: firstCommit).lowerBound..<new.bodyCount
        let twins = try BodyTwins(old.stored)
        for row in rows where !collisions.contains(row) {
            if let twin = twins.row(like: try new.archiveBody(row)) { origins[row] = .same(twin) }
        }
        /// Assigns a body of the old archive to a body without an origin.
        func pair(_ body: ArchiveBody, _ other: () throws(ArchiveError) -> ArchiveBody?) throws(ArchiveError) {
            let row = new.number(of: body)
            guard rows.contains(row), body.length > 0, origins[row] == .new, let other = try other(), other.length > 0
            else { return }
            origins[row] = .changed(UInt32(old.stored.number(of: other)))
        }
        try new.reader.forEachEntry { entry throws(ArchiveError) in
            if let body = try entry.body {
                try pair(body) { () throws(ArchiveError) in try old.stored.reader.newestBody(forKeyOf: entry) }
            }
            return true
        }
        try pairDictionaries(pair)
        return origins
    }

    /// Finds the bodies that differ from those of their digest and length in the old archive, by their rows in the new one.
    ///
    /// Costs a decoding of the blocks that are not stored alike. Bodies are among them once this comes to too much: a patch then has their bytes.
    static func collisions(_ old: StoredArchive, _ new: StoredArchive) throws(ArchiveError) -> Set<Int> {
        var (collisions, comparison) = (Set<Int>(), BodyComparison(new))
        let twins = try BodyTwins(old)
        // In the order in which they are stored, so that a block that several share is decoded once.
        for row in try BodyRanks(new, 0..<new.bodyCount).rows.lazy.map({ Int($0) }) {
            let body = try new.archiveBody(row)
            guard let twin = twins.row(like: body) else { continue }
            if try !comparison.areEqual(body, old.archiveBody(Int(twin))) { collisions.insert(row) }
        }
        return collisions
    }

    /// Assigns dictionaries of one name to each other. In the old archive the last one of a name counts.
    ///
    /// - Parameter pair: a function that assigns a body of the old archive to a new one without an origin.
    private func pairDictionaries(
        _ pair: (ArchiveBody, () throws(ArchiveError) -> ArchiveBody?) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        var earlier: [[UInt8]: Int] = [:]
        for row in 0..<old.stored.dictionaryCount {
            if let name = try old.stored.dictionaryName(row), let body = try old.stored.dictionaryBody(row) {
                earlier[name] = body
            }
        }
        for row in new.rows(.dictionary, ofCommit: firstCommit).lowerBound..<new.dictionaryCount {
            guard let name = try new.dictionaryName(row), let body = try new.dictionaryBody(row) else { continue }
            try pair(new.archiveBody(body)) { () throws(ArchiveError) in
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
