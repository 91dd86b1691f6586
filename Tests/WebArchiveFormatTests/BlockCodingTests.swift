// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveFormat

@Suite struct BlockCodingTests {
    private func decode(_ stored: [UInt8], length: Int, dictionary: [UInt8] = []) throws -> [UInt8] {
        // A byte on either side shows that nothing is written outside.
        var target = [UInt8](repeating: 0xA5, count: length + 2)
        try target.withMutableBytes { (target) throws(ArchiveError) in
            let inner = UnsafeMutableRawBufferPointer(rebasing: target[1..<1 + length])
            try stored.withBytes { (stored) throws(ArchiveError) in
                try dictionary.withBytes { (dictionary) throws(ArchiveError) in
                    try BlockCoding.decodeLZ4(stored, dictionary: dictionary, into: inner)
                }
            }
        }
        #expect(target.first == 0xA5 && target.last == 0xA5)
        return Array(target[1...length])
    }

    private func compress(
        _ block: [UInt8], _ level: CompressionLevel, dictionary: [UInt8]? = nil, limit: Int? = nil
    ) -> [UInt8]? {
        let prepared = dictionary.map { PreparedDictionary($0, level: level) }
        var stored = [UInt8](repeating: 0, count: limit ?? block.count + block.count / 255 + 16)
        let length = block.withUnsafeBytes { block in
            stored.withUnsafeMutableBytes {
                BlockCompressor(level: level).compress(block, dictionary: prepared, into: $0)
            }
        }
        return length.map { Array(stored[..<$0]) }
    }

    private static let levels: [CompressionLevel] = [.fast] + (1...12).map { .level($0) }

    private static let encoder = """
        import lz4.block, sys
        for line in sys.stdin:
            mode, text, words = line.rstrip('\\n').split(',')
            print(lz4.block.compress(bytes.fromhex(text), mode=mode, store_size=False, dict=bytes.fromhex(words)).hex())
        """

    private static let decoder = """
        import lz4.block, sys
        for line in sys.stdin:
            length, text, words = line.rstrip('\\n').split(',')
            print(lz4.block.decompress(bytes.fromhex(text), uncompressed_size=int(length), dict=bytes.fromhex(words)).hex())
        """

    private struct Sample {
        let text: [UInt8]
        let dictionary: [UInt8]
    }

    /// Texts that quote their dictionaries, some of which are as long as they may be.
    private func samples(_ random: inout SeededGenerator) -> [Sample] {
        var samples: [Sample] = []
        for length in [1, 12, 13, 64, 1000, 4096, 70_000] {
            let plain = random.text(length)
            samples.append(Sample(text: plain, dictionary: []))
            for size in [1, 40, 5000, 65_536] {
                let dictionary = random.text(size)
                let quoted = Array((plain + dictionary.suffix(300) + dictionary.prefix(300) + plain).prefix(length))
                samples.append(Sample(text: quoted, dictionary: dictionary))
            }
        }
        return samples
    }

    @Test(.enabled(if: Python.hasLZ4)) func decodesWhatPythonMade() throws {
        var random = SeededGenerator.printed()
        let samples = samples(&random)
        for mode in ["default", "high_compression"] {
            let blocks = try Python.answers(
                Self.encoder,
                to: samples.map { "\(mode),\($0.text.hexadecimal),\($0.dictionary.hexadecimal)" })
            for (sample, block) in zip(samples, blocks) {
                let stored = [UInt8](hexadecimal: block)
                let decoded = try decode(stored, length: sample.text.count, dictionary: sample.dictionary)
                #expect(decoded == sample.text, "\(sample.text.count) bytes, seed \(random.seed)")
            }
        }
    }

    @Test(.enabled(if: Python.hasLZ4), arguments: levels)
    func pythonDecodesWhatWeMade(level: CompressionLevel) throws {
        var random = SeededGenerator.printed()
        let samples = samples(&random)
        let questions = try samples.map { sample in
            let dictionary = sample.dictionary.isEmpty ? nil : sample.dictionary
            let block = try #require(compress(sample.text, level, dictionary: dictionary))
            return "\(sample.text.count),\(block.hexadecimal),\(sample.dictionary.hexadecimal)"
        }
        let decoded = try Python.answers(Self.decoder, to: questions)
        #expect(decoded == samples.map(\.text.hexadecimal), "seed \(random.seed)")
    }

    /// One compressor for many blocks, with and without a dictionary by turns, leaves no trace of one in the next.
    @Test(arguments: levels)
    func aCompressorHasNoMemory(level: CompressionLevel) throws {
        var random = SeededGenerator.printed()
        let dictionary = random.text(3000)
        let prepared = PreparedDictionary(dictionary, level: level)
        let compressor = BlockCompressor(level: level)
        for round in 0..<12 {
            let text = Array((random.text(500) + dictionary.prefix(700) + random.text(500)).shuffled(using: &random))
            let quoted = dictionary.prefix(800) + text
            let usesDictionary = round % 3 != 0
            var stored = [UInt8](repeating: 0, count: 4000)
            let length = try #require(
                Array(quoted).withUnsafeBytes { block in
                    stored.withUnsafeMutableBytes {
                        compressor.compress(block, dictionary: usesDictionary ? prepared : nil, into: $0)
                    }
                })
            let alone = try #require(compress(Array(quoted), level, dictionary: usesDictionary ? dictionary : nil))
            #expect(Array(stored[..<length]) == alone, "round \(round), seed \(random.seed)")
            let decoded = try decode(alone, length: quoted.count, dictionary: usesDictionary ? dictionary : [])
            #expect(decoded == Array(quoted))
        }
    }

    @Test func whatDoesNotFitIsLeftRaw() throws {
        var random = SeededGenerator.printed()
        let noise = random.bytes(1000)
        let text = [UInt8](repeating: 0x61, count: 1000)
        for level in Self.levels {
            #expect(compress(noise, level, limit: 999) == nil)
            #expect(compress(noise, level, limit: 0) == nil)
            let stored = try #require(compress(text, level, limit: 999))
            #expect(compress(text, level, limit: stored.count) != nil)
            #expect(compress(text, level, limit: stored.count - 1) == nil, "level \(level)")
        }
    }

    @Test func liesAboutTheLength() throws {
        var random = SeededGenerator.printed()
        let text = random.text(1000)
        let stored = try #require(compress(text, .standard))
        #expect(try decode(stored, length: 1000) == text)
        for length in [1, 500, 999, 1001, 5000] {
            #expect(archiveError { _ = try decode(stored, length: length) }?.code == .damaged, "\(length)")
        }
        for cut in 0..<stored.count {
            #expect(archiveError { _ = try decode(Array(stored[..<cut]), length: 1000) }?.code == .damaged)
        }
        #expect(archiveError { _ = try decode(stored + [0], length: 1000) }?.code == .damaged)
        // A block that reaches back into a dictionary that is not there.
        let dictionary = random.text(800)
        let quoting = try #require(compress(dictionary, .standard, dictionary: dictionary))
        #expect(try decode(quoting, length: 800, dictionary: dictionary) == dictionary)
        #expect(archiveError { _ = try decode(quoting, length: 800) }?.code == .damaged)
        #expect(archiveError { _ = try decode(quoting, length: 800, dictionary: [1, 2, 3]) }?.code == .damaged)
    }

    @Test func randomBytesNeverReachOutside() {
        var random = SeededGenerator.printed()
        var failures = 0
        for _ in 0..<20_000 {
            let stored = random.bytes(Int.random(in: 0...60, using: &random))
            let length = Int.random(in: 1...300, using: &random)
            let dictionary = random.bytes([0, 1, 50][Int.random(in: 0...2, using: &random)])
            if archiveError({ _ = try decode(stored, length: length, dictionary: dictionary) })?.code == .damaged {
                failures += 1
            }
        }
        #expect(failures > 15_000)
    }

    @Test func namesOfLevels() {
        #expect(CompressionLevel("fast") == .fast)
        for number in 1...12 { #expect(CompressionLevel(String(number)) == .level(number)) }
        for text in ["", "0", "13", "-1", "Fast", " 1", "1.5", "best"] { #expect(CompressionLevel(text) == nil) }
        for level in Self.levels { #expect(CompressionLevel(level.description) == level) }
        #expect(CompressionLevel.standard == .level(1))
    }
}
