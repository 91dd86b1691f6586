// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

@testable import WebArchive
@testable import WebArchiveFormat

/// Headers, footers, section tables and class tables: what is read keeps the limits, and is read again when written.
enum TableCheck {
    static func header(_ bytes: [UInt8]) {
        var bytes = bytes
        if bytes.count >= FormatLimits.headerLength { seal(&bytes, 0..<28) }
        guard let header = try? ArchiveHeader(decoding: bytes) else { return }
        expect(FormatLimits.blockExponents.contains(header.blockExponent), "exponent \(header.blockExponent)")
        expect(header.recoverySlots.count == 2, "slots")
        let again = try? ArchiveHeader(decoding: header.encoded())
        expect(again?.recoverySlots == header.recoverySlots, "slots that change when written")
        expect(again?.blockExponent == header.blockExponent, "an exponent that changes when written")
    }

    /// The last 64 bytes are the footer; the section table is before them.
    static func footerAndSections(_ bytes: [UInt8]) {
        guard bytes.count >= FormatLimits.footerLength else { return }
        var footerBytes = Array(bytes.suffix(FormatLimits.footerLength))
        let table = Array(bytes.dropLast(FormatLimits.footerLength))
        footerBytes.replaceSubrange(40..<44, with: littleEndian(Checksum.of(table)))
        seal(&footerBytes, 0..<60)
        let offset = footerBytes[8..<16].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let footer = try? CommitFooter(decoding: footerBytes, at: offset) else { return }
        expect(footer.end <= FormatLimits.maximumFileLength + 64, "a footer beyond the longest file")
        expect(footer.sectionTableOffset >= footer.commitStart, "a section table before its commit")
        var written = footer.encoded()
        let again = try? CommitFooter(decoding: written, at: offset)
        expect(again == footer, "a footer that changes when written")
        written.removeAll()
        guard let sections = try? SectionTable(decoding: table, footer: footer) else { return }
        var end = footer.commitStart
        for section in sections.sections {
            expect(section.extent.offset >= end, "sections that overlap")
            end = section.extent.end
        }
        expect(end <= footer.sectionTableOffset, "a section that reaches into the table")
    }

    static func classTable(_ bytes: [UInt8]) {
        var rest = bytes[...]
        let indexLength = UInt64(number(&rest)) << 4
        let table = Array(rest)
        guard let classes = decoded(table, indexLength) else { return }
        for (owner, table) in classes.tables {
            expect(table.rows.end <= indexLength && table.heap.end <= indexLength, "\(owner.name) outside of the index")
            expect(UInt64(table.rowCount) * UInt64(table.rowWidth) == table.rows.length, "the rows of \(owner.name)")
            for key in table.keys {
                expect(key.offset + key.width <= table.rowWidth && key.step >= 1, "a key outside of its row")
                expect(key.key.owner == owner, "a key of another class")
            }
        }
        // A table of all classes may be longer than one that lists few.
        let written = classes.encoded()
        let again = decoded(written, indexLength)
        for (owner, table) in classes.tables {
            expect(again?.tables[owner] == table, "\(owner.name) changes when it is written")
        }
    }

    private static func decoded(_ table: [UInt8], _ indexLength: UInt64) -> ClassTable? {
        guard let extent = try? FileExtent(offset: 96, length: UInt64(table.count), within: .max) else { return nil }
        let section = SectionTable.Section(
            kind: .classes, isRequired: true, extent: extent, checksum: Checksum.of(table))
        return try? ClassTable(decoding: table, section: section, indexLength: indexLength)
    }

    private static func seal(_ bytes: inout [UInt8], _ range: Range<Int>) {
        bytes.replaceSubrange(range.upperBound..<range.upperBound + 4, with: littleEndian(Checksum.of(bytes[range])))
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.littleEndian, Array.init) }
}
