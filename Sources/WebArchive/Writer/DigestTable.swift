// SPDX-License-Identifier: Apache-2.0

/// A table that finds bodies by digest; the digests themselves stay in the caller's rows.
struct DigestTable {
    private var rows = HashedRows()

    /// Rows with this digest, in no particular order.
    func candidates(_ digest: ContentDigest, digestOf: (UInt32) -> ContentDigest) -> [UInt32] {
        var found: [UInt32] = []
        _ = rows.first(Self.hash(digest)) { row in
            if digestOf(row) == digest { found.append(row) }
            return false
        }
        return found
    }

    /// Bodies of one digest that are found again; those beyond would make every search a long one.
    static let maximumOfOneDigest = 16

    mutating func insert(_ row: UInt32, digestOf: (UInt32) -> ContentDigest) {
        let digest = digestOf(row)
        var same = 0
        let isFull = rows.first(Self.hash(digest)) { other in
            if digestOf(other) == digest { same += 1 }
            return same == Self.maximumOfOneDigest
        }
        guard isFull == nil else { return }
        rows.insert(row, Self.hash(digest), hashOf: { Self.hash(digestOf($0)) })
    }

    // Another one in each process: bodies whose digests share many bits are easily made.
    private static let seed = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max) | 1)

    private static func hash(_ digest: ContentDigest) -> Int {
        let product = (digest.low ^ seed.0).multipliedFullWidth(by: seed.1)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }
}
