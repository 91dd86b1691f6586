// SPDX-License-Identifier: Apache-2.0

/// The numbers of the bodies of a commit after it: rows are sorted by digest then. Specification section 11.
package struct BodyNumbers {
    private let first: UInt32
    /// The row of each body, in the order in which they were added.
    private let rows: [UInt32]

    fileprivate init(first: UInt32, rows: [UInt32]) { (self.first, self.rows) = (first, rows) }

    /// Returns the number through all commits of a body, from its number before the commit. Those of earlier commits stay.
    package func number(of body: UInt32) -> UInt32 { body > first ? first + rows[Int(body - first) - 1] + 1 : body }
}

extension CommitBuilder {
    /// The number of entries of earlier commits.
    package var earlierEntryCount: UInt32 { draft.firstRow(.entry) }

    /// Returns a reference to an entry that was added to this commit.
    ///
    /// - Parameter number: the number of additions before it.
    package func reference(toEntry number: Int) -> EntryReference { EntryReference(number: number) }

    /// Returns a reference to an entry of an earlier commit, for a record.
    ///
    /// - Parameter number: the number through all commits, from 1.
    /// - Throws: `invalidArgument` for a number of no entry.
    package func reference(toCommitted number: UInt32) throws(ArchiveError) -> EntryReference {
        guard number > 0, number <= earlierEntryCount else {
            throw ArchiveError(.invalidArgument, "no entry has the number \(number)")
        }
        return EntryReference(number: 0, committed: number)
    }

    /// Returns the numbers through all commits that entries have after the commit.
    ///
    /// - Parameter entries: the numbers of additions before them.
    package func entryNumbersAfterCommit(_ entries: Set<Int>) -> [Int: UInt32] {
        guard !entries.isEmpty else { return [:] }
        var numbers: [Int: UInt32] = [:]
        for (row, entry) in draft.sortedEntries(draft.strings.sorted().ranks).enumerated()
        where entries.contains(Int(entry)) {
            numbers[Int(entry)] = earlierEntryCount + UInt32(row) + 1
        }
        return numbers
    }

    /// Returns the digests of the bodies in the order in which they were added, with those of the dictionaries, which come with the commit.
    private func digestsAfterCommit() -> [ContentDigest] {
        var digests = (0..<draft.bodies.count).map { draft.bodies[$0].digest }
        for row in draft.dictionaries.indices {
            let number = draft.firstRow(.dictionary) + UInt32(row) + 1
            if let contents = bodies.dictionaryContents[number] { digests.append(ContentDigest(hashing: contents)) }
        }
        return digests
    }

    /// Returns a filter of the bodies that the commit has, if none is added any more.
    package func digestFilter() -> DigestFilter { DigestFilter(digestsAfterCommit()) }

    /// Sets filters of the bodies of earlier commits, by the numbers of these, so that few of them are searched.
    package func setFilters(_ filters: [Int: DigestFilter]) { bodies.filters = filters }

    /// Returns the numbers that bodies have after the commit, if none is added any more.
    package func bodyNumbersAfterCommit() -> BodyNumbers {
        let (count, digests) = (draft.bodies.count, digestsAfterCommit())
        let order = digests.indices.sorted { (digests[$0], $0) < (digests[$1], $1) }
        var rows = [UInt32](repeating: 0, count: count)
        for (row, body) in order.enumerated() where body < count { rows[body] = UInt32(row) }
        return BodyNumbers(first: draft.firstRow(.body), rows: rows)
    }
}
