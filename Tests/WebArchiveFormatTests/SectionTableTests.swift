// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveFormat

@Suite struct SectionTableTests {
    private struct Row {
        var kind: String
        var offset: UInt64
        var length: UInt64
        var flags: UInt32 = 1
        var checksum: UInt32 = 0
        var reserved: UInt32 = 0
    }

    /// The commit starts at 96; the section table lies at 20,000.
    private func read(_ rows: [Row], damaging: Int? = nil) throws -> SectionTable {
        var sink = ByteSink()
        for row in rows {
            sink.append(row.kind.utf8)
            sink.integer(row.flags)
            sink.integer(row.offset)
            sink.integer(row.length)
            sink.integer(row.checksum)
            sink.integer(row.reserved)
        }
        let footer = CommitFooter(
            offset: 20_000 + UInt64(sink.bytes.count), previousFooter: 0, commitNumber: 0,
            sectionCount: UInt32(rows.count), commitStart: 96, sectionTableChecksum: Checksum.of(sink.bytes))
        var bytes = sink.bytes
        if let damaging { bytes[damaging] ^= 1 }
        return try SectionTable(decoding: bytes, footer: footer)
    }

    private let usual = [
        Row(kind: "BLKS", offset: 96, length: 100), Row(kind: "INDX", offset: 196, length: 4097),
        Row(kind: "ISUM", offset: 4293, length: 8),
        Row(kind: "CLSS", offset: 4301, length: 50, checksum: 0xCAFE),
    ]

    @Test func readsAndWrites() throws {
        let table = try read(usual)
        #expect(table.sections.map(\.kind) == [.blocks, .index, .indexSums, .classes])
        #expect(table[.index]?.extent.offset == 196)
        #expect(table[.index]?.extent.length == 4097)
        #expect(table[.classes]?.checksum == 0xCAFE)
        #expect(table[.merkleTree] == nil)
        var copy = SectionTable()
        for section in table.sections { copy.append(section) }
        var expected = ByteSink()
        for row in usual {
            expected.append(row.kind.utf8)
            expected.integer(UInt32(1))
            expected.integer(row.offset)
            expected.integer(row.length)
            expected.integer(row.checksum)
            expected.integer(UInt32(0))
        }
        #expect(copy.encoded() == expected.bytes)
        #expect(try read([]).sections.isEmpty)
    }

    @Test func extents() throws {
        func outcome(_ offset: UInt64, _ length: UInt64) -> ArchiveError.Code? {
            archiveError { _ = try read([Row(kind: "BLKS", offset: offset, length: length)]) }?.code
        }
        #expect(outcome(96, 19_904) == nil)
        #expect(outcome(96, 19_905) == .damaged)
        #expect(outcome(20_000, 0) == nil)
        #expect(outcome(20_001, 0) == .damaged)
        #expect(outcome(95, 1) == .damaged)
        #expect(outcome(0, 100) == .damaged)
        #expect(outcome(.max, 1) == .damaged)
        #expect(outcome(96, .max) == .damaged)
        #expect(outcome(.max - 99, 100) == .damaged)
    }

    @Test func overlaps() {
        // The second row is the damaged one, and lies 32 bytes behind the first.
        let wrong = Failure(.damaged, at: 20_032)
        var rows = [Row(kind: "BLKS", offset: 96, length: 100), Row(kind: "XTRA", offset: 195, length: 5, flags: 0)]
        #expect(failure { _ = try read(rows) } == wrong)
        rows[1].offset = 196
        #expect(failure { _ = try read(rows) } == nil)
        // In the order of their offsets.
        rows[1].offset = 96
        rows[0].offset = 300
        #expect(failure { _ = try read(rows) } == wrong)
    }

    @Test func twiceTheSame() {
        let rows = [Row(kind: "BLKS", offset: 96, length: 1), Row(kind: "BLKS", offset: 97, length: 1)]
        #expect(failure { _ = try read(rows) } == Failure(.damaged, at: 20_032))
        let unknown = [
            Row(kind: "XTRA", offset: 96, length: 1, flags: 0), Row(kind: "XTRA", offset: 97, length: 1, flags: 0),
        ]
        #expect(failure { _ = try read(unknown) } == Failure(.damaged, at: 20_032))
    }

    @Test func unknownTypes() throws {
        let optional = Row(kind: "XTRA", offset: 5000, length: 10, flags: 0xFFFF_FFFE, reserved: .max)
        let table = try read(usual + [optional])
        #expect(table[.blocks]?.extent.length == 100)
        let required = Row(kind: "XTRA", offset: 5000, length: 10, flags: 1)
        #expect(failure { _ = try read(usual + [required]) } == Failure(.unsupportedFeature, at: 20_128))
        // Kinds that are only reserved are not known either.
        for kind in ["MRKL", "SIGN"] {
            let row = Row(kind: kind, offset: 5000, length: 10, flags: 1)
            #expect(failure { _ = try read(usual + [row]) } == Failure(.unsupportedFeature, at: 20_128))
        }
    }

    @Test func sumsCoverTheIndex() throws {
        for (length, pages) in [(0, 0), (1, 1), (4095, 1), (4096, 1), (4097, 2), (12_288, 3)] as [(UInt64, UInt64)] {
            for sums in [0, 3, 4, 5, 8, 12, 16] as [UInt64] {
                let rows = [
                    Row(kind: "INDX", offset: 96, length: length), Row(kind: "ISUM", offset: 96 + length, length: sums),
                ]
                let code = archiveError { _ = try read(rows) }?.code
                #expect((code == nil) == (sums == 4 * pages), "\(length) bytes, \(sums) of sums")
                #expect(code == nil || code == .damaged)
            }
        }
        #expect(archiveError { _ = try read([usual[1]]) }?.code == .damaged)
        #expect(archiveError { _ = try read([usual[2]]) }?.code == .damaged)
    }

    @Test func classTablesHaveALimit() {
        // The section table would have to lie further behind for a longer one; the limit on the extent comes first.
        let footer = { (bytes: [UInt8]) in
            CommitFooter(
                offset: 200_032, previousFooter: 0, commitNumber: 0, sectionCount: 1, commitStart: 96,
                sectionTableChecksum: Checksum.of(bytes))
        }
        for (length, expected) in [(65_536, nil), (65_537, Failure(.damaged, at: 96))] as [(UInt64, Failure?)] {
            var sink = ByteSink()
            sink.append("CLSS".utf8)
            sink.integer(UInt32(1))
            sink.integer(UInt64(96))
            sink.integer(length)
            sink.zeros(8)
            #expect(failure { _ = try SectionTable(decoding: sink.bytes, footer: footer(sink.bytes)) } == expected)
        }
    }

    @Test func everyByteIsChecked() {
        for position in 0..<128 {
            #expect(failure { _ = try read(usual, damaging: position) } == Failure(.damaged, at: 20_000))
        }
    }
}
