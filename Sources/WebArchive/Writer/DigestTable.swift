// SPDX-License-Identifier: Apache-2.0

/// A table that finds bodies by digest; the digests themselves stay in the caller's rows.
struct DigestTable {
    private var rows = HashedRows()

    /// Returns rows with this digest, in no particular order.
    func candidates(_ digest: ContentDigest, digestOf: (UInt32) -> ContentDigest) -> [UInt32] {
        var found: [UInt32] = []
        _ = rows.first(Self.hash(digest)) { row in
            if digestOf(row) == digest { found.append(row) }
            return false
        }
        return found
    }

    /// The maximum number of findable bodies of one digest; more would slow down every search.
    static let maximumOfOneDigest = 16

    /// Makes a row findable, unless ``maximumOfOneDigest`` rows of its digest already are.
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

    // Others in each process: bodies whose digests share many bits are easily made.
    private static let seeds = (0..<4).map { _ in UInt64.random(in: 0 ... .max) | 1 }

    private static func hash(_ digest: ContentDigest) -> Int {
        let high = (digest.high ^ seeds[0]).multipliedFullWidth(by: seeds[1])
        let low = (digest.low ^ high.high ^ high.low ^ seeds[2]).multipliedFullWidth(by: seeds[3])
        return Int(truncatingIfNeeded: low.high ^ low.low)
    }
}
