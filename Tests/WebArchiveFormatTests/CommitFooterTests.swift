// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveFormat

@Suite struct CommitFooterTests {
    /// A footer put together from the table of the specification's section 4.
    private func bytes(
        offset: UInt64, previous: UInt64, number: UInt32, sections: UInt32, start: UInt64, reserved: UInt8 = 0
    ) -> [UInt8] {
        var sink = ByteSink()
        sink.append([UInt8](hexadecimal: "89 57 45 42 45 4E 44 0A"))
        sink.integer(offset)
        sink.integer(previous)
        sink.integer(number)
        sink.integer(sections)
        sink.integer(start)
        sink.integer(UInt32(0xDEAD_BEEF))
        sink.append([UInt8](repeating: reserved, count: 16))
        sink.checksum()
        return sink.bytes
    }

    private func read(
        offset: UInt64 = 1000, previous: UInt64 = 0, number: UInt32 = 0, sections: UInt32 = 4, start: UInt64 = 96,
        at place: UInt64? = nil
    ) throws -> CommitFooter {
        let bytes = bytes(offset: offset, previous: previous, number: number, sections: sections, start: start)
        return try CommitFooter(decoding: bytes, at: place ?? offset)
    }

    @Test func mirrors() throws {
        let first = try read()
        #expect(first.sectionTableOffset == 1000 - 4 * 32)
        #expect(first.end == 1064)
        #expect(first.sectionTableChecksum == 0xDEAD_BEEF)
        #expect(first.encoded() == bytes(offset: 1000, previous: 0, number: 0, sections: 4, start: 96))
        let later = try read(offset: 5000, previous: 1000, number: 1023, sections: 64, start: 1064)
        #expect(later.encoded() == bytes(offset: 5000, previous: 1000, number: 1023, sections: 64, start: 1064))
    }

    @Test func whatIsReservedIsIgnored() throws {
        let odd = bytes(offset: 1000, previous: 0, number: 0, sections: 4, start: 96, reserved: 0x77)
        #expect(try CommitFooter(decoding: odd, at: 1000) == read())
        #expect(CommitFooter.isIntact(odd, at: 1000))
    }

    @Test func rules() throws {
        let wrong = Failure(.damaged, at: 1000)
        #expect(failure { _ = try read(at: 1000) } == nil)
        // Its real position.
        #expect(failure { _ = try read(offset: 999, at: 1000) } == wrong)
        // 0 exactly in commit 0.
        #expect(failure { _ = try read(previous: 96, start: 160) } == wrong)
        #expect(failure { _ = try read(previous: 0, number: 1, start: 64) } == wrong)
        // The start of the commit.
        #expect(failure { _ = try read(start: 97) } == wrong)
        #expect(failure { _ = try read(start: 0) } == wrong)
        #expect(failure { _ = try read(previous: 160, number: 1, start: 224) } == nil)
        #expect(failure { _ = try read(previous: 160, number: 1, start: 225) } == wrong)
        #expect(failure { _ = try read(previous: 160, number: 1, start: 96) } == wrong)
        #expect(failure { _ = try read(previous: .max, number: 1, start: 63) } == wrong)
        #expect(failure { _ = try read(previous: .max - 63, number: 1, start: 0) } == wrong)
        #expect(failure { _ = try read(previous: 2000, number: 1, start: 2064) } == wrong)
        // Numbers and sections.
        #expect(failure { _ = try read(previous: 160, number: 1024, start: 224) } == wrong)
        // With room for more, so that nothing but their number is wrong.
        #expect(failure { _ = try read(offset: 5000, sections: 64) } == nil)
        #expect(failure { _ = try read(offset: 5000, sections: 65) } == Failure(.damaged, at: 5000))
        #expect(failure { _ = try read(sections: .max) } == wrong)
        // Room for the section table.
        #expect(failure { _ = try read(offset: 96 + 64, sections: 2) } == nil)
        #expect(failure { _ = try read(offset: 96 + 63, sections: 2) } == Failure(.damaged, at: 96 + 63))
        #expect(failure { _ = try read(offset: 95, sections: 0) } == Failure(.damaged, at: 95))
        // Offsets are below 2^48.
        #expect(failure { _ = try read(offset: 1 << 48) } == Failure(.damaged, at: 1 << 48))
        #expect(failure { _ = try read(offset: 1 << 48 - 1) } == nil)
    }

    @Test func everySingleByteChange() {
        let good = bytes(offset: 1000, previous: 0, number: 0, sections: 4, start: 96)
        #expect(CommitFooter.isIntact(good, at: 1000))
        #expect(!CommitFooter.isIntact(good, at: 1001))
        for position in 0..<64 {
            for change in 1...255 as ClosedRange<UInt8> {
                var bytes = good
                bytes[position] ^= change
                #expect(!CommitFooter.isIntact(bytes, at: 1000), "byte \(position) ^ \(change)")
            }
            var bytes = good
            bytes[position] ^= 0x40
            #expect(failure { _ = try CommitFooter(decoding: bytes, at: 1000) } == Failure(.damaged, at: 1000))
        }
    }

    @Test func otherLengths() {
        let good = bytes(offset: 1000, previous: 0, number: 0, sections: 4, start: 96)
        for length in 0..<64 { #expect(!CommitFooter.isIntact(Array(good[..<length]), at: 1000)) }
        #expect(!CommitFooter.isIntact(good + [0], at: 1000))
        #expect(archiveError { _ = try CommitFooter(decoding: Array(good[..<63]), at: 1000) }?.code == .damaged)
    }
}
