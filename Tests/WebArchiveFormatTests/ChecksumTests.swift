// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveFormat

@Suite struct ChecksumTests {
    @Test func noBytes() {
        #expect(Checksum.of([UInt8]()) == 0)
        #expect(Checksum.of(UnsafeRawBufferPointer(start: nil, count: 0)) == 0)
    }

    @Test(.enabled(if: Python.isThere)) func sameAsZlib() throws {
        var random = SeededGenerator.printed()
        let lengths = Array(0...70) + [255, 256, 4095, 4096, 4097, 20_000]
        let texts = lengths.map { random.bytes($0) }
        let script = """
            import sys, zlib
            for line in sys.stdin: print(zlib.crc32(bytes.fromhex(line)))
            """
        let expected = try Python.answers(script, to: texts.map(\.hexadecimal))
        for (text, sum) in zip(texts, expected) {
            #expect(String(Checksum.of(text)) == sum, "\(text.count) bytes, seed \(random.seed)")
            // The start of a slice is not the start of its array.
            let padded = [0xEE] + text + [0xEE]
            #expect(String(Checksum.of(padded[1..<1 + text.count])) == sum, "seed \(random.seed)")
            #expect(String(text.withUnsafeBytes { Checksum.of($0) }) == sum, "seed \(random.seed)")
        }
    }
}
