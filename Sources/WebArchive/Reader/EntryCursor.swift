// SPDX-License-Identifier: Apache-2.0

/// A position in a list of entries, which advances from one to the next: the result of ``ArchiveReader/entryCursor(prefix:after:)``.
///
/// It takes memory for one entry of each commit, and reads only the entries that it passes. A copy continues independently from its
/// position. The rows of each commit are sorted (specification section 8.2), so the cursor merges them.
public struct EntryCursor: Sendable {
    /// The next entry of a commit.
    private struct Head {
        /// The number of the commit.
        let commit: Int
        /// The row in it.
        let row: Int
        /// The key of that row.
        let key: [UInt8]

        /// Returns whether this entry is listed before another one: by key, and among equal ones the later commit first.
        func precedes(_ other: Head) -> Bool {
            let order = key.withUnsafeBytes { key in other.key.withUnsafeBytes { key.compareBytes($0) } }
            return order == 0 ? commit > other.commit : order < 0
        }
    }

    private let archive: ArchiveReader
    private let prefix: [UInt8]
    /// The next entry of each commit; the overall next one is last.
    private var heads: [Head] = []
    /// The last returned entry, after which its commit is read next.
    private var passed: Head?

    /// - Parameter rows: the first row to list in each commit.
    init(_ archive: ArchiveReader, _ prefix: [UInt8], from rows: [Int]) throws(ArchiveError) {
        (self.archive, self.prefix) = (archive, prefix)
        for (commit, row) in rows.enumerated() {
            if let head = try head(commit, row) { heads.append(head) }
        }
        heads.sort { $1.precedes($0) }
    }

    /// Returns the next entry, and nil after the last one.
    ///
    /// Costs decoding one key; in an archive of several commits, the search for its place among theirs too.
    ///
    /// - Returns: the entry; nil at the end of the list.
    /// - Throws: `damaged` or `io`, again each time.
    public mutating func next() throws(ArchiveError) -> ArchiveEntry? {
        if let passed {
            if let following = try head(passed.commit, passed.row + 1) { insert(following) }
            self.passed = nil
        }
        passed = heads.popLast()
        return passed.map { ArchiveEntry(RowPlace(commit: UInt32($0.commit), row: UInt32($0.row)), of: archive) }
    }

    private mutating func insert(_ head: Head) {
        heads.insert(head, at: heads.indices.partitioningIndex { !head.precedes(heads[$0]) })
    }

    private func head(_ commit: Int, _ row: Int) throws(ArchiveError) -> Head? {
        guard row < archive.index.commits[commit].entryCount else { return nil }
        let key = try archive.index.key(RowPlace(commit: UInt32(commit), row: UInt32(row)))
        return key.starts(with: prefix) ? Head(commit: commit, row: row, key: key) : nil
    }
}
