// SPDX-License-Identifier: Apache-2.0

import Benchmark
import WebArchive

/// A compressed block, and what is needed to decode it.
private final class CompressedBlock: @unchecked Sendable {
    let stored: [UInt8]
    let dictionary: [UInt8]
    var decoded: [UInt8]

    init(_ bytes: ArraySlice<UInt8>, dictionary: ArraySlice<UInt8>) {
        let compressor = BlockCompressor(level: .standard)
        let prepared = dictionary.isEmpty ? nil : PreparedDictionary(Array(dictionary), level: .standard)
        var stored = [UInt8](repeating: 0, count: bytes.count)
        let length = bytes.withUnsafeBytes { bytes in
            stored.withUnsafeMutableBytes { compressor.compress(bytes, dictionary: prepared, into: $0) }
        }
        guard let length else { fatalError("a text that LZ4 cannot compress") }
        self.stored = Array(stored[..<length])
        self.dictionary = Array(dictionary)
        decoded = [UInt8](repeating: 0, count: bytes.count)
    }

    func decode() throws {
        try stored.withUnsafeBytes { stored in
            try dictionary.withUnsafeBytes { dictionary in
                try decoded.withUnsafeMutableBytes {
                    try BlockCoding.decodeLZ4(stored, dictionary: dictionary, into: $0)
                }
            }
        }
    }
}

func blockBenchmarks(_ fixture: Fixture) {
    Benchmark("decode a block of 256 KiB", configuration: timed()) { _, block in
        try block.decode()
    } setup: {
        CompressedBlock(fixture.text[..<262_144], dictionary: [])
    }
    Benchmark("decode a block of 16 KiB with a dictionary", configuration: timed()) { _, block in
        try block.decode()
    } setup: {
        let text = fixture.text
        return CompressedBlock(text[..<16_384], dictionary: text[1_000_000..<1_065_536])
    }
    Benchmark("checksum of 256 KiB", configuration: timed()) { (_, text: [UInt8]) throws in
        blackHole(Checksum.of(text))
    } setup: {
        Array(fixture.text[..<262_144])
    }
}
