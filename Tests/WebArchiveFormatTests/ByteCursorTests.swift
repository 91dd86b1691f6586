// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveFormat

@Suite struct ByteCursorTests {
    @Test func integersAreLittleEndian() throws {
        var cursor = ByteCursor([0x01, 0x34, 0x12, 0x78, 0x56, 0x34, 0x12, 0xFE, 0xFF], at: 0)
        #expect(try cursor.integer(UInt8.self) == 0x01)
        #expect(try cursor.integer(UInt16.self) == 0x1234)
        #expect(try cursor.integer(UInt32.self) == 0x1234_5678)
        #expect(try cursor.integer(Int16.self) == -2)
        #expect(cursor.isAtEnd)
        var wide = ByteCursor([8, 7, 6, 5, 4, 3, 2, 1] + [UInt8](repeating: 0xFF, count: 8), at: 0)
        #expect(try wide.integer(UInt64.self) == 0x0102_0304_0506_0708)
        #expect(try wide.integer(Int64.self) == -1)
    }

    /// However many bytes are missing, the read throws, names the place where it began, and moves nothing.
    @Test(arguments: [1, 2, 4, 8])
    func shortReads(width: Int) throws {
        for present in 0..<width {
            for skipped in [0, 3] {
                var cursor = ByteCursor([UInt8](repeating: 0xAA, count: skipped + present), at: 1000)
                try cursor.skip(skipped)
                let found = failure {
                    switch width {
                    case 1: _ = try cursor.integer(UInt8.self)
                    case 2: _ = try cursor.integer(UInt16.self)
                    case 4: _ = try cursor.integer(UInt32.self)
                    default: _ = try cursor.integer(UInt64.self)
                    }
                }
                #expect(found == Failure(.damaged, at: 1000 + UInt64(skipped)))
                #expect(try cursor.bytes(present).count == present)
            }
        }
    }

    @Test func bytesAndSkipStayInside() throws {
        var cursor = ByteCursor([1, 2, 3], at: 50)
        #expect(try Array(cursor.bytes(2)) == [1, 2])
        #expect(cursor.offset == 52)
        for count in [2, -1, .max, .min] {
            #expect(failure { _ = try cursor.bytes(count) } == Failure(.damaged, at: 52))
            #expect(failure { try cursor.skip(count) } == Failure(.damaged, at: 52))
        }
        #expect(!cursor.isAtEnd)
        #expect(try Array(cursor.bytes(1)) == [3])
        #expect(try cursor.bytes(0).isEmpty)
        #expect(cursor.isAtEnd)
    }

    @Test func names() throws {
        var cursor = ByteCursor([3, 0x41, 0x21, 0x7E, 1, 0x62], at: 0)
        #expect(try cursor.name() == "A!~")
        #expect(try cursor.name() == "b")
        let longest = [63] + [UInt8](repeating: 0x6E, count: 63)
        var long = ByteCursor(longest, at: 0)
        #expect(try long.name().utf8.count == 63)
    }

    @Test(arguments: [
        [0], [64] + [UInt8](repeating: 0x61, count: 64), [255] + [UInt8](repeating: 0x61, count: 255),
        [1, 0x20], [1, 0x7F], [2, 0x61, 0x80], [2, 0xC3, 0xA9], [1, 0],
    ])
    func malformedNames(bytes: [UInt8]) throws {
        var cursor = ByteCursor([9] + bytes, at: 7)
        try cursor.skip(1)
        #expect(failure { _ = try cursor.name() } == Failure(.damaged, at: 8))
    }

    @Test func namesThatEndTooEarly() {
        var none = ByteCursor([], at: 7)
        #expect(failure { _ = try none.name() } == Failure(.damaged, at: 7))
        var cut = ByteCursor([3, 0x61, 0x62], at: 7)
        #expect(failure { _ = try cut.name() } == Failure(.damaged, at: 8))
    }
}
