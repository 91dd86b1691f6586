// SPDX-License-Identifier: Apache-2.0

/// A set of rows of one class, with one bit for each row.
package struct RowSet: Sendable {
    private var words: [UInt64]

    /// Creates an empty set.
    ///
    /// - Parameter capacity: the exclusive upper bound of rows.
    package init(capacity: Int) { words = Array(repeating: 0, count: (capacity + 63) / 64) }

    /// Inserts a row; returns whether it is new.
    package mutating func insert(_ row: Int) -> Bool {
        let mask: UInt64 = 1 << UInt64(row % 64)
        defer { words[row / 64] |= mask }
        return words[row / 64] & mask == 0
    }
}
