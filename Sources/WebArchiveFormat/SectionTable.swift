// SPDX-License-Identifier: Apache-2.0

/// The positions of a commit's parts. Specification section 4.
package struct SectionTable: Equatable, Sendable {
    /// The type of a section, four ASCII characters.
    package struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The characters as a little-endian number.
        package let rawValue: UInt32
        /// The stored blocks. Section 5.
        package static let blocks = Kind("BLKS")
        /// The rows and texts of the index. Section 6.
        package static let index = Kind("INDX")
        /// The CRCs of the index's pages. Section 4, "Index pages".
        package static let indexSums = Kind("ISUM")
        /// The class table. Section 6.1.
        package static let classes = Kind("CLSS")
        /// The tree of a signed commit; refused where it is required. Section 13.2.
        package static let merkleTree = Kind("MRKL")
        /// The statement of a signed commit; refused where it is required. Section 13.3.
        package static let signature = Kind("SIGN")

        init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Creates a type from four ASCII characters.
        package init(_ text: StaticString) {
            rawValue = text.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
        }

        /// The four characters.
        package var description: String {
            String(decoding: withUnsafeBytes(of: rawValue.littleEndian, Array.init), as: UTF8.self)
        }
    }

    /// A part of a commit.
    package struct Section: Equatable, Sendable {
        /// The type, which occurs at most once in a commit.
        package var kind: Kind
        /// Whether a reader that does not know the type refuses the archive.
        package var isRequired: Bool
        /// The extent in the file.
        package var extent: FileExtent
        /// The CRC of the section's bytes, for class tables; 0 for other types.
        package var checksum: UInt32

        package init(kind: Kind, isRequired: Bool, extent: FileExtent, checksum: UInt32 = 0) {
            self.kind = kind
            self.isRequired = isRequired
            self.extent = extent
            self.checksum = checksum
        }
    }

    /// The types that this version reads; it skips others, unless they are required.
    static let known: Set<Kind> = [.blocks, .index, .indexSums, .classes]

    /// The sections in the order of their offsets.
    package private(set) var sections: [Section] = []

    /// Creates a table without sections.
    package init() {}

    /// Adds a section after all others.
    package mutating func append(_ section: Section) { sections.append(section) }

    /// The section of a type; nil if the commit has none.
    package subscript(kind: Kind) -> Section? { sections.first { $0.kind == kind } }

    /// Reads the table that `footer` locates, and checks it against the rules of section 4.
    ///
    /// - Throws: `damaged`, or `unsupportedFeature` for an unknown required section; with the offset of the section's
    ///   row.
    package init(decoding bytes: [UInt8], footer: CommitFooter) throws(ArchiveError) {
        let start = footer.sectionTableOffset
        guard Checksum.of(bytes) == footer.sectionTableChecksum else {
            throw .damaged("the section table does not match its checksum", offset: start)
        }
        var cursor = ByteCursor(bytes, at: start)
        var end = footer.commitStart
        for _ in 0..<footer.sectionCount {
            let place = cursor.offset
            let kind = Kind(rawValue: try cursor.integer())
            guard kind.rawValue & 0x8080_8080 == 0 else {
                throw .damaged("a section type is not ASCII", offset: place)
            }
            let flags: UInt32 = try cursor.integer()
            let extent = try FileExtent(offset: cursor.integer(), length: cursor.integer(), within: start)
            guard extent.offset >= end else { throw .damaged("the sections overlap", offset: place) }
            end = extent.end
            let checksum: UInt32 = try cursor.integer()
            try cursor.skip(4)
            let section = Section(kind: kind, isRequired: flags & 1 != 0, extent: extent, checksum: checksum)
            guard self[kind] == nil else { throw .damaged("duplicate section \(kind)", offset: place) }
            guard !section.isRequired || Self.known.contains(kind) else {
                throw ArchiveError(.unsupportedFeature, "unknown required section \(kind)", offset: place)
            }
            sections.append(section)
        }
        try checkIndexSums(at: start)
    }

    private func checkIndexSums(at start: UInt64) throws(ArchiveError) {
        guard (self[.index] == nil) == (self[.indexSums] == nil) else {
            throw .damaged("INDX and ISUM must occur together", offset: start)
        }
        let pageLength = UInt64(FormatLimits.pageLength)
        let pages = ((self[.index]?.extent.length ?? 0) + pageLength - 1) / pageLength
        guard self[.indexSums]?.extent.length ?? 0 == 4 * pages else {
            throw .damaged(
                "ISUM has \(self[.indexSums]?.extent.length ?? 0) bytes, expected \(4 * pages)", offset: start)
        }
        guard self[.classes]?.extent.length ?? 0 <= FormatLimits.maximumClassTableLength else {
            throw .damaged("the class table exceeds 65,536 bytes", offset: self[.classes]?.extent.offset)
        }
    }

    /// Returns the encoded table, 32 bytes for each section.
    package func encoded() -> [UInt8] {
        var sink = ByteSink()
        for section in sections {
            sink.integer(section.kind.rawValue)
            sink.integer(section.isRequired ? UInt32(1) : 0)
            sink.integer(section.extent.offset)
            sink.integer(section.extent.length)
            sink.integer(section.checksum)
            sink.zeros(4)
        }
        return sink.bytes
    }
}
