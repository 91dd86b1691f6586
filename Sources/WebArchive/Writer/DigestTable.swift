// SPDX-License-Identifier: Apache-2.0

/// Finds bodies by digest; the digests themselves stay in the caller's rows.
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

    mutating func insert(_ row: UInt32, digestOf: (UInt32) -> ContentDigest) {
        rows.insert(row, Self.hash(digestOf(row)), hashOf: { Self.hash(digestOf($0)) })
    }

    // MD5 spreads evenly, so its own bits will do.
    private static func hash(_ digest: ContentDigest) -> Int { Int(truncatingIfNeeded: digest.low) }
}
