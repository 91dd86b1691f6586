// SPDX-License-Identifier: Apache-2.0

/// The position of an entry in an archive. It keeps its meaning as long as commits are only added to the file.
package struct EntryPosition: Hashable, Sendable {
    package let commit: UInt32
    package let row: UInt32

    package init(commit: UInt32, row: UInt32) {
        self.commit = commit
        self.row = row
    }
}

extension ArchiveEntry {
    package var position: EntryPosition { EntryPosition(commit: place.commit, row: place.row) }
}

extension ArchiveReader {
    /// Nil if there is no such entry.
    package func entry(at position: EntryPosition) -> ArchiveEntry? {
        guard position.commit < index.commits.count, position.row < index.commits[Int(position.commit)].entryCount
        else {
            return nil
        }
        return ArchiveEntry(RowPlace(commit: position.commit, row: position.row), of: self)
    }

    /// The entries of a URL for any request, newest commit first, `limit` at most.
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
    package static func < (left: EntryPosition, right: EntryPosition) -> Bool {
        (left.commit, left.row) < (right.commit, right.row)
    }
}
