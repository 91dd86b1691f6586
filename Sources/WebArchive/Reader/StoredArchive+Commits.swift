// SPDX-License-Identifier: Apache-2.0

package import WebArchiveFormat

extension StoredArchive {
    /// The parts of a commit in the file. Specification section 4.
    package struct Layout: Sendable {
        /// The footer.
        package let footer: CommitFooter
        /// The sections.
        package let sections: SectionTable

        /// The range of section table and footer.
        package var end: Range<UInt64> { footer.sectionTableOffset..<footer.end }
        /// Whether the commit has a tree and a statement, which may be damaged. Specification section 13.
        package var isSigned: Bool { sections[.merkleTree] != nil && sections[.signature] != nil }
    }

    /// The bytes of the file.
    package var source: any ByteSource { index.source }

    /// The end of the last commit: later bytes are not a part of the archive.
    package var committedLength: UInt64 { index.commits.last?.footer.end ?? 0 }

    /// The layout of each commit, the oldest first.
    package var layouts: [Layout] { index.commits.map { Layout(footer: $0.footer, sections: $0.sections) } }

    /// Reads the class table of a commit.
    ///
    /// - Parameter commit: its number, from 0.
    package func classTable(ofCommit commit: Int) throws(ArchiveError) -> ClassTable {
        try ClassTable(of: index.commits[commit].sections, in: index.source)
    }

    /// Returns the numbers of the rows of a class in a commit, counted through all commits.
    package func rows(_ owner: IndexClass, ofCommit commit: Int) -> Range<Int> {
        let first = index.commits[commit].firstRow(owner)
        return first..<first + index.commits[commit].rowCount(owner)
    }

    /// Returns the row of a body of this archive.
    package func number(of body: ArchiveBody) -> Int { index.number(.body, body.place) }

    /// Returns the row of the first block of a body of this archive, and the offset of the body in it, in bytes; nil for an empty body.
    package func start(of body: ArchiveBody) -> (block: Int, offset: Int)? {
        body.start.map { (index.number(.block, $0.block), $0.offset) }
    }

    /// Returns a body by its row.
    package func archiveBody(_ number: Int) throws(ArchiveError) -> ArchiveBody {
        guard let place = index.place(.body, row: number) else {
            throw ArchiveError(.invalidArgument, "row \(number) of Body does not exist", path: archive.name)
        }
        return try archive.body(place)
    }

    /// The number of dictionaries of all commits.
    package var dictionaryCount: Int { index.rowCount(.dictionary) }
}
