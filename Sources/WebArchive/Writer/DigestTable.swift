// SPDX-License-Identifier: Apache-2.0

/// Finds bodies by digest in four bytes a slot; the digests themselves stay in the caller's rows.
struct DigestTable {
    private var slots: [UInt32] = Array(repeating: DigestTable.free, count: 64)
    private var count = 0
    private static let free = UInt32.max

    /// Rows with this digest, in no particular order.
    func candidates(_ digest: ContentDigest, digestOf: (UInt32) -> ContentDigest) -> [UInt32] {
        var found: [UInt32] = []
        var slot = start(digest)
        while slots[slot] != Self.free {
            if digestOf(slots[slot]) == digest { found.append(slots[slot]) }
            slot = (slot + 1) & (slots.count - 1)
        }
        return found
    }

    mutating func insert(_ row: UInt32, digestOf: (UInt32) -> ContentDigest) {
        if (count + 1) * 4 > slots.count * 3 {
            let rows = slots.filter { $0 != Self.free }
            slots = Array(repeating: Self.free, count: slots.count * 2)
            for row in rows { place(row, digestOf(row)) }
        }
        place(row, digestOf(row))
        count += 1
    }

    private mutating func place(_ row: UInt32, _ digest: ContentDigest) {
        var slot = start(digest)
        while slots[slot] != Self.free { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = row
    }

    // MD5 spreads evenly, so its own bits will do.
    private func start(_ digest: ContentDigest) -> Int { Int(truncatingIfNeeded: digest.low) & (slots.count - 1) }
}
