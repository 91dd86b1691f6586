// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// A commit of an archive, divided into the parts of a patch.
struct CommitImage {
    let archive: StoredArchive
    /// The number of the commit, from 0.
    let number: Int
    /// The places of the sections, the section table and the footer.
    let layout: StoredArchive.Layout
    /// The class table of the commit.
    let classes: ClassTable
    /// The rows of the bodies within the commit, by rank.
    let ranks: BodyRanks

    /// Divides a commit. It costs a reading of the rows of its bodies.
    init(_ archive: StoredArchive, _ number: Int) throws(ArchiveError) {
        (self.archive, self.number, layout) = (archive, number, archive.layouts[number])
        classes = try archive.classTable(ofCommit: number)
        ranks = try BodyRanks(archive, archive.rows(.body, ofCommit: number))
    }

    /// Returns the row of a body through all commits, by its rank.
    func row(_ rank: Int) -> Int { archive.rows(.body, ofCommit: number).lowerBound + Int(ranks.rows[rank]) }

    /// Returns the bytes of a section; none if the commit does not have it.
    func bytes(_ kind: SectionTable.Kind) throws(ArchiveError) -> [UInt8] {
        guard let extent = layout.sections[kind]?.extent else { return [] }
        return try archive.source.bytes(at: extent.offset, count: Int(extent.length))
    }

    /// Returns the bytes of the index.
    func index() throws(ArchiveError) -> IndexImage {
        IndexImage(bytes: try bytes(.index), firstBody: Int64(archive.rows(.body, ofCommit: number).lowerBound))
    }

    /// Returns the lengths of bodies and blocks.
    func contents() throws(ArchiveError) -> CommitContents {
        var (bodies, blocks) = ([UInt64](), [Int]())
        for rank in ranks.rows.indices { bodies.append(try archive.archiveBody(row(rank)).length) }
        for row in archive.rows(.block, ofCommit: number) { blocks.append(Int(try archive.block(row).length)) }
        return CommitContents(bodyLengths: bodies, blockLengths: blocks, fullLength: archive.blockLength)
    }

    /// Returns the footer, the section table and the sections that a patch does not divide, in this order.
    ///
    /// - Parameter withTree: whether the tree is among them.
    func ends(withTree: Bool) throws(ArchiveError) -> [UInt8] {
        let table = layout.end.lowerBound..<layout.footer.offset
        var bytes = try archive.source.bytes(at: layout.footer.offset, count: FormatLimits.footerLength)
        bytes += try archive.source.bytes(at: table.lowerBound, count: table.count)
        for section in layout.sections.sections where Self.isEnd(section.kind, withTree: withTree) {
            bytes += try self.bytes(section.kind)
        }
        return bytes
    }

    /// Returns whether a patch has the bytes of a section verbatim.
    static func isEnd(_ kind: SectionTable.Kind, withTree: Bool) -> Bool {
        switch kind {
        case .blocks, .index, .indexSums: false
        case .merkleTree: withTree
        default: true
        }
    }

    /// Returns the CRCs of the pages of an index: the bytes of `ISUM`. Specification section 4.
    static func sums(_ index: [UInt8]) -> [UInt8] {
        stride(from: 0, to: index.count, by: FormatLimits.pageLength).flatMap { start in
            let page = index[start..<min(start + FormatLimits.pageLength, index.count)]
            return withUnsafeBytes(of: Checksum.of(page).littleEndian, Array.init)
        }
    }
}
