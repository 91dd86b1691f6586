// SPDX-License-Identifier: Apache-2.0

/// The MD5 of a body (RFC 1321): its address in an archive, never a proof that two bodies are equal.
///
/// Bodies of one digest can be made on purpose, and are stored beside each other. Specification section 5, "Equal
/// digests".
public struct ContentDigest: Hashable, Sendable {
    // Two words, because a fixed-size array is not Hashable on all the systems that we support.
    package let high: UInt64
    package let low: UInt64

    /// The length of a digest, in bytes.
    public static let length = 16
    /// The digest of no bytes.
    public static let ofNothing = ContentDigest(high: 0xD41D_8CD9_8F00_B204, low: 0xE980_0998_ECF8_427E)

    /// Creates a digest from its first and its last eight bytes, as big-endian numbers.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates a digest from its 16 bytes; nil for any other number of bytes.
    ///
    /// Does not hash them: see `init(hashing:)`, which `WebArchive` adds.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        let words = bytes.reduce(into: (high: UInt64(0), low: UInt64(0))) { words, byte in
            words = (words.high << 8 | words.low >> 56, words.low << 8 | UInt64(byte))
        }
        self.init(high: words.high, low: words.low)
    }

    /// Creates a digest from the first 16 bytes, which must exist.
    package init(rawBytes bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count >= Self.length)
        high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Creates a digest from 32 hexadecimal digits of either case; nil for any other text.
    public init?(hexadecimal text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count == 32 else { return nil }
        var words: [UInt64] = [0, 0]
        for (index, digit) in digits.enumerated() {
            guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
            words[index / 16] = words[index / 16] << 4 | UInt64(value)
        }
        self.init(high: words[0], low: words[1])
    }

    /// The 16 bytes, in the order of RFC 1321.
    public var bytes: [UInt8] {
        [high, low].flatMap { word in withUnsafeBytes(of: word.bigEndian, Array.init) }
    }
}

extension ContentDigest: Comparable {
    /// Compares two digests bytewise. The bodies of a commit are in this order (specification section 7, "Body").
    public static func < (left: ContentDigest, right: ContentDigest) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension ContentDigest: CustomStringConvertible {
    /// The text of 32 lower-case hexadecimal digits, as it is in entity tags of form 5 (specification section 7,
    /// "HeaderField").
    public var description: String {
        String(unsafeUninitializedCapacity: 32) { text in
            // 16 digits of each word, all 32 are written.
            for (word, start) in [(high, 0), (low, 16)] {
                for place in 0..<16 {
                    let digit = UInt8(truncatingIfNeeded: word >> (60 - 4 * place) & 15)
                    text[start + place] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
                }
            }
            return 32
        }
    }
}
