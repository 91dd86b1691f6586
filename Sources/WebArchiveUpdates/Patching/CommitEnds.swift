// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// The ends of a commit that a patch describes: footer, section table, and the verbatim sections.
struct CommitEnds {
    /// The footer, at the offset that its own bytes state.
    let footer: CommitFooter
    let sections: SectionTable
    /// The class table; without rows if the commit has none.
    let classes: ClassTable
    /// The bytes of section table and footer.
    let end: [UInt8]
    /// The bytes of the verbatim sections.
    private var contents: [SectionTable.Kind: [UInt8]] = [:]

    /// The length of the index, in bytes.
    var indexLength: UInt64 { sections[.index]?.extent.length ?? 0 }

    /// Reads the bytes of ``CommitImage/ends(withTree:)``.
    ///
    /// - Parameters:
    ///   - start: the place at which the commit begins.
    ///   - withTree: whether the tree is among the sections.
    /// - Throws: `damaged` for bytes that no commit at that offset can have.
    init(_ bytes: [UInt8], at start: UInt64, withTree: Bool) throws(ArchiveError) {
        var cursor = NumberCursor(bytes)
        let footerBytes = Array(try cursor.bytes(FormatLimits.footerLength))
        var fields = ByteCursor(footerBytes, at: 0)
        try fields.skip(8)
        footer = try CommitFooter(decoding: footerBytes, at: fields.integer())
        guard footer.commitStart == start else {
            throw .damaged("a commit of the patch does not follow the previous one")
        }
        let table = Array(try cursor.bytes(Int(footer.sectionCount) * FormatLimits.sectionLength))
        sections = try SectionTable(decoding: table, footer: footer)
        end = table + footerBytes
        guard Self.isInOrder(sections, footer) else { throw .damaged("the sections of the patch are out of order") }
        for section in sections.sections where CommitImage.isEnd(section.kind, withTree: withTree) {
            contents[section.kind] = Array(try cursor.bytes(Int(section.extent.length)))
        }
        guard cursor.isAtEnd else { throw .damaged("trailing bytes after the sections of the patch") }
        guard let section = sections[.classes] else {
            classes = ClassTable()
            return
        }
        classes = try ClassTable(
            decoding: contents[.classes] ?? [], section: section, indexLength: sections[.index]?.extent.length ?? 0)
    }

    /// Returns the bytes of a section; nil for one that is rebuilt.
    func bytes(_ kind: SectionTable.Kind) -> [UInt8]? { contents[kind] }

    /// Returns whether a commit is made of sections without gaps, blocks before the index and the index before its sums.
    static func isInOrder(_ sections: SectionTable, _ footer: CommitFooter) -> Bool {
        var end = footer.commitStart
        for section in sections.sections {
            guard section.extent.offset == end else { return false }
            end = section.extent.end
        }
        func place(_ kind: SectionTable.Kind) -> UInt64? { sections[kind]?.extent.offset }
        let rebuilt = [place(.blocks), place(.index), place(.indexSums)].compactMap(\.self)
        return end == footer.sectionTableOffset && rebuilt == rebuilt.sorted()
    }
}
