// SPDX-License-Identifier: Apache-2.0

/// The position of an entry in an archive. It keeps its meaning as long as commits are only added to the file.
package struct EntryPosition: Hashable, Sendable {
    /// The number of the commit that holds the entry.
    package let commit: UInt32
    /// The row of the entry in that commit.
    package let row: UInt32

    /// Creates a position, even without an entry there.
    package init(commit: UInt32, row: UInt32) {
        self.commit = commit
        self.row = row
    }
}

extension ArchiveEntry {
    /// The position of the entry.
    package var position: EntryPosition { EntryPosition(commit: place.commit, row: place.row) }
}

extension ArchiveReader {
    /// Finds the entry at a position; nil if there is no such entry. It reads nothing.
    package func entry(at position: EntryPosition) -> ArchiveEntry? {
        guard position.commit < index.commits.count, position.row < index.commits[Int(position.commit)].entryCount
        else {
            return nil
        }
        return ArchiveEntry(RowPlace(commit: position.commit, row: position.row), of: self)
    }

    /// Finds the entries of a URL for any request, newest commit first.
    ///
    /// - Parameter limit: the most that are given.
    /// - Throws: `damaged` or `io`.
    package func entries(of url: CanonicalURL, atMost limit: Int) throws(ArchiveError) -> [ArchiveEntry] {
        var entries: [ArchiveEntry] = []
        try forEachRow(of: url) { entry throws(ArchiveError) in
            entries.append(entry)
            return entries.count < limit
        }
        return entries
    }
}

extension EntryPosition: Comparable {
    /// Compares two positions: older commits first, then by rows.
    package static func < (left: EntryPosition, right: EntryPosition) -> Bool {
        (left.commit, left.row) < (right.commit, right.row)
    }
}
