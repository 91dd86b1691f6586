// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The leaves of a tree for one commit, with the part of the file that each represents. Specification section 13.1.
struct LeafLayout: Sendable {
    /// The leaves of a section.
    struct Run: Sendable {
        /// The type of the section.
        let kind: SectionTable.Kind
        /// The extent of the section in the file.
        let extent: FileExtent
        /// Whether each leaf is a block; otherwise it is a piece of 65,536 bytes.
        let isBlocks: Bool
        /// The number of the first leaf.
        let first: UInt64
        /// The number of leaves.
        let count: UInt64

        /// Returns the parts of the file that the leaves represent.
        ///
        /// - Parameter blocks: the offsets of the commit's blocks in the file.
        /// - Throws: `untrusted` for a block without stored bytes; `damaged` for one of more than 1 MiB.
        func leaves(blocks: [UInt64]) throws(ArchiveError) -> [Leaf] {
            var leaves: [Leaf] = []
            guard isBlocks else {
                for number in 0..<count { leaves.append(Leaf(kind: kind, extent: try piece(number))) }
                return leaves
            }
            for (number, start) in blocks.enumerated() {
                let end = number + 1 < blocks.count ? blocks[number + 1] : extent.end
                guard start < end, end <= extent.end, number > 0 || start == extent.offset else {
                    throw ArchiveError(.untrusted, "an empty block cannot be signed", offset: start)
                }
                guard end - start <= UInt64(FormatLimits.maximumBlockLength) else {
                    throw .damaged(
                        "a stored block of \(end - start) bytes exceeds \(FormatLimits.maximumBlockLength)",
                        offset: start)
                }
                let place = try FileExtent(offset: start, length: end - start, within: extent.end)
                leaves.append(Leaf(kind: kind, extent: place))
            }
            return leaves
        }

        /// Returns the extent of a piece in the file, by its number in the section.
        func piece(_ number: UInt64) throws(ArchiveError) -> FileExtent {
            let start = number * TreeShape.pieceLength
            return try extent.part(offset: start, length: min(TreeShape.pieceLength, extent.length - start))
        }
    }

    /// The sections with leaves, in the order of the file.
    let runs: [Run]
    /// The number of the commit's first leaf.
    let firstLeaf: UInt64
    /// The number of the leaf for section table and footer, the last one of the commit.
    let endLeaf: UInt64
    /// The extent of section table and footer in the file.
    let end: FileExtent

    /// Lays out the leaves of a commit.
    ///
    /// - Parameters:
    ///   - blockCount: the rows of `Block` in the commit.
    ///   - holdsTree: whether the commit holds the tree itself, which has no leaf for itself and its statement.
    ///   - first: the number of the commit's first leaf.
    /// - Throws: `untrusted` if bytes of the commit are in no section.
    init(
        footer: CommitFooter, sections: SectionTable, blockCount: Int, holdsTree: Bool, first: UInt64
    ) throws(ArchiveError) {
        var runs: [Run] = []
        var (next, end) = (first, footer.commitStart)
        for section in sections.sections {
            guard section.extent.offset == end else { throw Self.gap(end, to: section.extent.offset) }
            end = section.extent.end
            if holdsTree, section.kind == .merkleTree || section.kind == .signature { continue }
            let isBlocks = section.kind == .blocks && blockCount > 0
            let pieces = (section.extent.length + TreeShape.pieceLength - 1) / TreeShape.pieceLength
            let count = isBlocks ? UInt64(blockCount) : pieces
            runs.append(
                Run(kind: section.kind, extent: section.extent, isBlocks: isBlocks, first: next, count: count))
            next += count
        }
        guard end == footer.sectionTableOffset else { throw Self.gap(end, to: footer.sectionTableOffset) }
        self.runs = runs
        firstLeaf = first
        endLeaf = next
        self.end = try FileExtent(offset: end, length: footer.end - end, within: footer.end)
    }

    private static func gap(_ start: UInt64, to end: UInt64) -> ArchiveError {
        ArchiveError(
            .untrusted, "\(end - start) bytes outside any section cannot be signed; compact the archive", offset: start)
    }

    /// Returns the parts of the file that the leaves represent, except section table and footer.
    ///
    /// - Parameter blocks: the offsets of the commit's blocks in the file.
    /// - Throws: `untrusted` for a block without stored bytes; `damaged` for one of more than 1 MiB.
    func leaves(blocks: [UInt64]) throws(ArchiveError) -> [Leaf] {
        var leaves: [Leaf] = []
        for run in runs { leaves += try run.leaves(blocks: blocks) }
        return leaves
    }

    /// The leaves of a section; nil if it has none.
    subscript(kind: SectionTable.Kind) -> Run? { runs.first { $0.kind == kind } }
}
