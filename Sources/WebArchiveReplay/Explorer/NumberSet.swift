// SPDX-License-Identifier: Apache-2.0

/// Numbers below a bound, one bit each.
struct NumberSet {
    private var words: [UInt64]

    init(capacity: Int) { words = Array(repeating: 0, count: (capacity + 63) / 64) }

    /// Gives whether the number is new.
    mutating func insert(_ number: Int) -> Bool {
        let mask: UInt64 = 1 << UInt64(number % 64)
        defer { words[number / 64] |= mask }
        return words[number / 64] & mask == 0
    }
}
