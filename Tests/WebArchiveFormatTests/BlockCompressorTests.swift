// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveFormat

/// One compressor, whatever it was used for before.
@Suite struct BlockCompressorTests {
    private func text(_ random: inout SeededGenerator, _ length: Int) -> [UInt8] {
        let words = ["kiosk ", "archive ", "offline ", "<p>", "</p>\n", "href=", "index.html", "é", "0", "1"]
        var text: [UInt8] = []
        while text.count < length { text += Array(words.randomElement(using: &random)!.utf8) }
        return Array(text.prefix(length))
    }

    private func decode(_ stored: [UInt8], length: Int, dictionary: [UInt8]) throws -> [UInt8] {
        var block = [UInt8](repeating: 0, count: length)
        try block.withMutableBytes { (target) throws(ArchiveError) in
            try stored.withBytes { (stored) throws(ArchiveError) in
                try dictionary.withBytes { (dictionary) throws(ArchiveError) in
                    try BlockCoding.decodeLZ4(stored, dictionary: dictionary, into: target)
                }
            }
        }
        return block
    }

    @Test(arguments: [CompressionLevel.fast, .standard, .level(4), .level(9)])
    func theSameAsAFreshOneWithAnyDictionaryBefore(_ level: CompressionLevel) throws {
        var random = SeededGenerator.printed()
        let dictionaries: [[UInt8]] = [[], text(&random, 1), text(&random, 900), text(&random, 65_536)]
        let prepared = dictionaries.map { $0.isEmpty ? nil : PreparedDictionary($0, level: level) }
        let used = BlockCompressor(level: level)
        for _ in 0..<40 {
            let block = text(&random, [1, 12, 700, 65_536, 1 << 18].randomElement(using: &random)!)
            let number = dictionaries.indices.randomElement(using: &random)!
            let isInRoom = Bool.random(using: &random)
            func compress(_ compressor: BlockCompressor, inRoom: Bool) -> [UInt8] {
                var stored = [UInt8](repeating: 0, count: block.count + block.count / 255 + 16)
                let length = block.withUnsafeBytes { bytes in
                    stored.withUnsafeMutableBytes { stored in
                        guard inRoom else {
                            return compressor.compress(bytes, dictionary: prepared[number], into: stored)
                        }
                        let room = compressor.room(block.count)
                        room.copyMemory(from: bytes)
                        return compressor.compress(
                            UnsafeRawBufferPointer(room), dictionary: prepared[number], into: stored)
                    }
                }
                return Array(stored[..<(length ?? 0)])
            }
            let stored = compress(used, inRoom: isInRoom)
            #expect(stored == compress(BlockCompressor(level: level), inRoom: false), "seed \(random.seed)")
            #expect(try decode(stored, length: block.count, dictionary: dictionaries[number]) == block)
        }
    }

    /// Text of the dictionary is not stored again.
    @Test(arguments: [CompressionLevel.standard, .level(9)])
    func theDictionaryIsUsed(_ level: CompressionLevel) {
        var random = SeededGenerator.printed()
        let block = random.bytes(4000)
        let prepared = PreparedDictionary(random.bytes(60_000) + block, level: level)
        var stored = [UInt8](repeating: 0, count: 5000)
        let length = block.withUnsafeBytes { block in
            stored.withUnsafeMutableBytes {
                BlockCompressor(level: level).compress(block, dictionary: prepared, into: $0)
            }
        }
        #expect(length.map { $0 < 60 } == true, "seed \(random.seed)")
    }
}
