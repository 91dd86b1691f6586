// SPDX-License-Identifier: Apache-2.0

/// The sets of findings that affect rows, each kept once: rows by the million may have the same.
struct FindingSets {
    /// The maximum number of findings of one row.
    static let longest = 16
    private static let maximumSetCount = 1 << 16

    private struct Pair: Hashable {
        let first, second: UInt32
    }

    private var sets: [[Int]] = []
    private var numbers: [[Int]: UInt32] = [:]
    private var unions: [Pair: UInt32] = [:]

    /// Returns the number of the set of one finding.
    mutating func set(of finding: Int) -> UInt32 { number(of: [finding]) ?? 0 }

    /// Returns the findings of a set.
    func findings(_ set: UInt32) -> [Int] { sets[Int(set)] }

    /// Returns the number of a set with the findings of both, up to the maximum.
    mutating func union(_ first: UInt32, _ second: UInt32) -> UInt32 {
        guard first != second else { return first }
        let pair = Pair(first: first, second: second)
        if let known = unions[pair] { return known }
        let more = sets[Int(second)].filter { !sets[Int(first)].contains($0) }
        let number = number(of: Array((sets[Int(first)] + more).prefix(Self.longest))) ?? first
        if unions.count < 4 * Self.maximumSetCount { unions[pair] = number }
        return number
    }

    private mutating func number(of set: [Int]) -> UInt32? {
        if let known = numbers[set] { return known }
        guard sets.count < Self.maximumSetCount else { return nil }
        numbers[set] = UInt32(sets.count)
        sets.append(set)
        return UInt32(sets.count - 1)
    }
}
