// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchiveFormat

/// A signer that adds the tree and the statement to a commit, before its section table is written. Specification section 13.
struct CommitSigner {
    let signing: ArchiveSigning
    /// The existing archive, when appending.
    let base: ArchiveReader?

    /// The commits of the archive after its newest signed one, which the tree covers as well.
    private var uncovered: ArraySlice<CommitIndex> = []
    /// The statement of the newest earlier signed commit.
    private var statement: SignedStatement?

    /// Searches for the newest earlier signed commit.
    ///
    /// - Throws: `invalidArgument` for a statement that cannot be written; `untrusted` if an earlier tree does not cover all that it
    ///   must cover.
    init(_ signing: ArchiveSigning, base: ArchiveReader?) throws(ArchiveError) {
        try signing.check()
        (self.signing, self.base) = (signing, base)
        guard let base else { return }
        // As the base was opened: later bytes may be overwritten by now.
        var earlier = try SignedCommits(base.chain, in: base.index.source)
        let newest = try earlier.newestProved()?.signed
        statement = newest?.statement
        uncovered = base.index.commits[(newest.map { $0.number + 1 } ?? 0)...]
    }

    /// Writes tree and statement after the sections of a commit, and adds them to these.
    ///
    /// - Parameters:
    ///   - file: the file, positioned at the end of the sections.
    ///   - blocks: the offsets of the commit's blocks in the file.
    ///   - footer: a function that returns the footer of a commit with these sections whose section table begins at this offset.
    /// - Throws: `untrusted` if earlier commits have bytes in no section; `damaged`, `io`.
    func sign(
        _ sections: inout SectionTable, in file: SequentialWriter, blocks: [UInt64],
        footer: (SectionTable, UInt64) -> CommitFooter
    ) throws(ArchiveError) {
        var (leaves, next) = try CommitTree.leaves(of: uncovered, holdingTree: nil)
        let unsigned = footer(sections, file.position)
        let own = try LeafLayout(
            footer: unsigned, sections: sections, blockCount: blocks.count, holdsTree: true, first: next)
        leaves += try own.leaves(blocks: blocks)
        let leafCount = own.endLeaf + 1
        let shape = try TreeShape(leafCount: leafCount)
        let tree = try FileExtent(
            offset: file.position, length: shape.length, within: FormatLimits.maximumFileLength)
        let statement = try FileExtent(
            offset: tree.end, length: signing.sectionLength, within: FormatLimits.maximumFileLength)
        sections.append(SectionTable.Section(kind: .merkleTree, isRequired: false, extent: tree))
        sections.append(SectionTable.Section(kind: .signature, isRequired: false, extent: statement))
        let end = footer(sections, statement.end)
        let source = try file.source()
        let head = TreeHash.head(try source.bytes(at: 0, count: 32), after: self.statement)
        let hashes =
            try head + LeafHasher(threads: signing.threads).hashes(leaves, in: source)
            + TreeHash.leaf(.end, at: statement.end, sections.encoded() + end.encoded())
        let (stored, root) = TreeHash.levels(hashes)
        try file.append(stored)
        try file.append(signing.statement(root: Array(root), leafCount: leafCount, footer: end).encoded())
    }
}
