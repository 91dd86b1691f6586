// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveFormat

@Suite struct ByteSinkTests {
    @Test func layout() {
        var sink = ByteSink()
        sink.integer(UInt8(1))
        sink.integer(UInt16(0x0203))
        sink.integer(UInt32(0x0405_0607))
        sink.integer(Int64(-2))
        sink.zeros(3)
        sink.append([9, 8])
        sink.name("ab")
        #expect(
            sink.bytes == [1, 3, 2, 7, 6, 5, 4, 0xFE] + [UInt8](repeating: 0xFF, count: 7)
                + [0, 0, 0, 9, 8, 2, 0x61, 0x62])
    }

    /// "123456789" has the check value CBF43926, which the catalogue of CRC algorithms gives for CRC-32/ISO-HDLC.
    @Test func checksumCoversEverythingBefore() {
        var sink = ByteSink()
        sink.append("123456789".utf8)
        sink.checksum()
        #expect(sink.bytes.suffix(4) == [0x26, 0x39, 0xF4, 0xCB])
    }

    /// Whatever a sink takes, a cursor gives back.
    @Test func mirrorsTheCursor() throws {
        var random = SeededGenerator.printed()
        for _ in 0..<300 {
            let numbers = (0..<8).map { _ in random.next() }
            let name = String(repeating: "n", count: Int.random(in: 1...63, using: &random))
            let raw = random.bytes(Int.random(in: 0...20, using: &random))
            var sink = ByteSink()
            sink.integer(UInt8(truncatingIfNeeded: numbers[0]))
            sink.integer(UInt16(truncatingIfNeeded: numbers[1]))
            sink.integer(UInt32(truncatingIfNeeded: numbers[2]))
            sink.integer(numbers[3])
            sink.integer(Int64(bitPattern: numbers[4]))
            sink.name(name)
            sink.zeros(2)
            sink.append(raw)
            var cursor = ByteCursor(sink.bytes, at: 0)
            #expect(try cursor.integer() == UInt8(truncatingIfNeeded: numbers[0]))
            #expect(try cursor.integer() == UInt16(truncatingIfNeeded: numbers[1]))
            #expect(try cursor.integer() == UInt32(truncatingIfNeeded: numbers[2]))
            #expect(try cursor.integer() == numbers[3])
            #expect(try cursor.integer() == Int64(bitPattern: numbers[4]))
            #expect(try cursor.name() == name)
            try cursor.skip(2)
            #expect(try Array(cursor.bytes(raw.count)) == raw)
            #expect(cursor.isAtEnd)
        }
    }
}
