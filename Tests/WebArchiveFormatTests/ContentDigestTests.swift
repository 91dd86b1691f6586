// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveFormat

@Suite struct ContentDigestTests {
    private func digest(_ bytes: [UInt8]) -> ContentDigest { bytes.withUnsafeBytes { ContentDigest(rawBytes: $0) } }

    @Test func ofNothing() {
        // RFC 1321, appendix A.5.
        #expect(ContentDigest.ofNothing.description == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(ContentDigest(hexadecimal: "D41D8CD98F00B204E9800998ECF8427E") == .ofNothing)
    }

    @Test func bytesAndDigitsBack() throws {
        var random = SeededGenerator.printed()
        for _ in 0..<200 {
            let bytes = random.bytes(16)
            let value = digest(bytes)
            #expect(value.bytes == bytes)
            #expect(value.description == bytes.hexadecimal)
            #expect(ContentDigest(hexadecimal: bytes.hexadecimal) == value)
            #expect(ContentDigest(hexadecimal: bytes.hexadecimal.uppercased()) == value)
            // More than 16 bytes: the first ones count.
            #expect(digest(bytes + [1, 2, 3]) == value)
        }
    }

    /// The order of digests is the order of their bytes.
    @Test func order() {
        var random = SeededGenerator.printed()
        for _ in 0..<500 {
            var (left, right) = (random.bytes(16), random.bytes(16))
            let shared = Int.random(in: 0...16, using: &random)
            right.replaceSubrange(..<shared, with: left[..<shared])
            if random.chance(2) { swap(&left, &right) }
            #expect((digest(left) < digest(right)) == left.lexicographicallyPrecedes(right), "seed \(random.seed)")
            #expect((digest(left) == digest(right)) == (left == right))
        }
    }

    @Test(arguments: [
        "", "d41d8cd98f00b204e9800998ecf8427", "d41d8cd98f00b204e9800998ecf8427e0", "g41d8cd98f00b204e9800998ecf8427e",
        " 41d8cd98f00b204e9800998ecf8427e", "+41d8cd98f00b204e9800998ecf8427e", "d41d8cd98f00b204-9800998ecf8427e",
        // 32 bytes of UTF-8 that are not 32 digits: a full-width 1 is a hexadecimal digit to Unicode.
        "\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}\u{FF11}11",
    ])
    func notADigest(text: String) {
        #expect(ContentDigest(hexadecimal: text) == nil)
    }
}
