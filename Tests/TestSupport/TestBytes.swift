// SPDX-License-Identifier: Apache-2.0

import Foundation

extension SeededGenerator {
    /// With a seed of its own, which is printed, or the one that WEBARC_TEST_SEED gives.
    public static func printed(_ test: String = #function) -> SeededGenerator {
        let given = ProcessInfo.processInfo.environment["WEBARC_TEST_SEED"].flatMap { UInt64($0) }
        let random = given.map { SeededGenerator(seed: $0) } ?? SeededGenerator()
        print("\(test): WEBARC_TEST_SEED=\(random.seed)")
        return random
    }

    /// Random bytes.
    ///
    /// - Parameter mask: the bits that may be set in each byte.
    public mutating func bytes(_ count: Int, mask: UInt8 = 0xFF) -> [UInt8] {
        let words = (count + 7) / 8
        let wordMask = UInt64(mask) &* 0x0101_0101_0101_0101
        // By words: tests are not optimised, and take megabytes of these.
        return Array(unsafeUninitializedCapacity: words * 8) { buffer, initialized in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            for word in 0..<words {
                bytes.storeBytes(of: (next() & wordMask).littleEndian, toByteOffset: word * 8, as: UInt64.self)
            }
            initialized = count
        }
    }

    /// Bytes that LZ4 makes shorter: words from a small vocabulary.
    public mutating func text(_ count: Int) -> [UInt8] {
        let words = (0..<20).map { _ in bytes(Int.random(in: 2...9, using: &self)) }
        var text: [UInt8] = []
        while text.count < count { text += words[Int.random(in: 0..<words.count, using: &self)] }
        return Array(text.prefix(count))
    }

    public mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self) == 0 }
}

extension Sequence<UInt8> {
    /// Two lower-case digits for each byte.
    public var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

extension [UInt8] {
    /// Pairs of hexadecimal digits; spaces are skipped, and so is what is no digit.
    public init(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

/// The factor by which long tests exceed their usual effort: WEBARC_TEST_EFFORT, 1 if it is not set.
public let testEffort =
    ProcessInfo.processInfo.environment["WEBARC_TEST_EFFORT"].flatMap { Int($0) }.map { max($0, 1) } ?? 1
