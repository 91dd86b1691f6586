// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

@testable import WebArchive
@testable import WebArchiveFormat

/// Decoding of blocks, with and without a dictionary. Specification section 5.
enum BlockCheck {
    /// LZ4 is not built with the checker of memory, so bytes on both sides stand guard.
    private static let guardLength = 64
    private static let guardByte: UInt8 = 0xA5

    /// Nil if the bytes do not decode to exactly `length` bytes.
    private static func decoded(_ stored: [UInt8], dictionary: [UInt8], length: Int) -> [UInt8]? {
        var memory = [UInt8](repeating: guardByte, count: length + 2 * guardLength)
        let isDecoded = memory.withUnsafeMutableBytes { memory in
            stored.withUnsafeBytes { stored in
                dictionary.withUnsafeBytes { dictionary in
                    let target = UnsafeMutableRawBufferPointer(rebasing: memory[guardLength..<guardLength + length])
                    return (try? BlockCoding.decodeLZ4(stored, dictionary: dictionary, into: target)) != nil
                }
            }
        }
        let guards = memory.prefix(guardLength) + memory.suffix(guardLength)
        expect(guards.allSatisfy { $0 == guardByte }, "a decoder that writes outside of its block")
        return isDecoded ? Array(memory[guardLength..<guardLength + length]) : nil
    }

    static func decode(_ bytes: [UInt8]) {
        var rest = bytes[...]
        let length = number(&rest)
        let dictionary = cut(&rest)
        let first = decoded(Array(rest), dictionary: dictionary, length: length)
        // A match distance of 0 repeats what was in the buffer before: the same bytes here, since both buffers begin alike.
        let second = decoded(Array(rest), dictionary: dictionary, length: length)
        expect(first == second, "a block that decodes to one thing and then to another")
    }

    static func compressAndDecode(_ bytes: [UInt8]) {
        var rest = bytes[...]
        let level = CompressionLevel.level(1 + number(&rest) % 12)
        let dictionary = cut(&rest)
        let block = Array(rest)
        let prepared = dictionary.isEmpty ? nil : PreparedDictionary(dictionary, level: level)
        var stored = [UInt8](repeating: 0, count: block.count)
        let length = stored.withUnsafeMutableBytes { stored in
            block.withUnsafeBytes { BlockCompressor(level: level).compress($0, dictionary: prepared, into: stored) }
        }
        guard let length else { return }
        let again = decoded(Array(stored[..<length]), dictionary: dictionary, length: block.count)
        expect(again == block, "a block of \(block.count) bytes does not survive level \(level)")
    }
}
