// SPDX-License-Identifier: Apache-2.0

/// A table that finds rows by a hash in four bytes a slot; the hashed values stay in the caller's rows. Open addressing with linear probing.
package struct HashedRows {
    private var slots: [UInt32] = Array(repeating: HashedRows.free, count: 64)
    private var count = 0
    private static let free = UInt32.max

    package init() {}

    /// Calls `work` with the rows that may have a hash, until it returns true; returns that row.
    package func first(_ hash: Int, where isWanted: (UInt32) -> Bool) -> UInt32? {
        place(of: hash, where: isWanted).map { slots[$0] }
    }

    private func place(of hash: Int, where isWanted: (UInt32) -> Bool) -> Int? {
        var slot = hash & (slots.count - 1)
        while slots[slot] != Self.free {
            if isWanted(slots[slot]) { return slot }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds a row, even if others have its hash.
    ///
    /// - Parameter hashOf: a function that returns the hash of a row that exists already, when the table grows.
    package mutating func insert(_ row: UInt32, _ hash: Int, hashOf: (UInt32) -> Int) {
        if (count + 1) * 4 > slots.count * 3 {
            let rows = slots
            slots = Array(repeating: Self.free, count: slots.count * 2)
            for row in rows where row != Self.free { place(row, hashOf(row)) }
        }
        place(row, hash)
        count += 1
    }

    /// Replaces an existing row, or inserts a new one.
    mutating func set(_ row: UInt32, _ hash: Int, hashOf: (UInt32) -> Int, replacing isEqual: (UInt32) -> Bool) {
        if let slot = place(of: hash, where: isEqual) { slots[slot] = row } else { insert(row, hash, hashOf: hashOf) }
    }

    private mutating func place(_ row: UInt32, _ hash: Int) {
        var slot = hash & (slots.count - 1)
        while slots[slot] != Self.free { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = row
    }
}
