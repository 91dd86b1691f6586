// SPDX-License-Identifier: Apache-2.0

/// The number of typing errors between two words, for suggestions: bytes to insert, remove, replace or swap with a neighbour.
///
/// Origin: optimal string alignment, the restricted form of Damerau's distance.
package enum EditDistance {
    /// The maximum number of bytes that are compared of each word.
    private static let limit = 128

    /// Counts the typing errors between two words, of which the first 128 bytes are compared.
    ///
    /// - Complexity: O(n · m) in time, and memory for three rows of the second word.
    package static func between(_ left: some StringProtocol, _ right: some StringProtocol) -> Int {
        let (left, right) = (Array(left.utf8.prefix(limit)), Array(right.utf8.prefix(limit)))
        var (before, last) = ([Int](), Array(0...right.count))
        for (row, byte) in left.enumerated() {
            var next = [row + 1]
            for (column, other) in right.enumerated() {
                var best = min(next[column], last[column + 1]) + 1
                best = min(best, last[column] + (byte == other ? 0 : 1))
                if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
                    best = min(best, before[column - 1] + 1)
                }
                next.append(best)
            }
            (before, last) = (last, next)
        }
        return last[right.count]
    }
}
