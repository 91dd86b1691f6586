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
    /// Returns the numbers that bodies have after the commit, if none is added any more.
    package func bodyNumbersAfterCommit() -> BodyNumbers {
        var digests = (0..<draft.bodies.count).map { draft.bodies[$0].digest }
        let count = digests.count
        // Those come with the commit.
        for row in draft.dictionaries.indices {
            let number = draft.firstRow(.dictionary) + UInt32(row) + 1
            if let contents = bodies.dictionaryContents[number] { digests.append(ContentDigest(hashing: contents)) }
        }
        let order = digests.indices.sorted { (digests[$0], $0) < (digests[$1], $1) }
        var rows = [UInt32](repeating: 0, count: count)
        for (row, body) in order.enumerated() where body < count { rows[body] = UInt32(row) }
        return BodyNumbers(first: draft.firstRow(.body), rows: rows)
    }
}
