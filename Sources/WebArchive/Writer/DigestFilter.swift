// SPDX-License-Identifier: Apache-2.0

/// A set of digests in ten bits for each: a Bloom filter with four hashes, which takes about one of a hundred others for a member.
package struct DigestFilter: Sendable {
    private var words: [UInt64]

    private static let hashCount: UInt64 = 4

    init(_ digests: [ContentDigest]) {
        words = [UInt64](repeating: 0, count: digests.count * 10 / 64 + 1)
        for digest in digests {
            for hash in 0..<Self.hashCount {
                let (word, bit) = place(digest, hash)
                words[word] |= bit
            }
        }
    }

    /// Returns whether a digest may be among them; false only if it is not.
    func mayContain(_ digest: ContentDigest) -> Bool {
        (0..<Self.hashCount).allSatisfy { hash in
            let (word, bit) = place(digest, hash)
            return words[word] & bit != 0
        }
    }

    private func place(_ digest: ContentDigest, _ hash: UInt64) -> (word: Int, bit: UInt64) {
        let mixed = digest.high &+ hash &* (digest.low | 1)
        let index = mixed.multipliedFullWidth(by: UInt64(words.count) << 6).high
        return (Int(index >> 6), 1 << (index & 63))
    }
}
