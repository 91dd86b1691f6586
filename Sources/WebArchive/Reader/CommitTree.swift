// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchiveFormat

/// The tree of a signed commit, computed from the rest of the file. Specification section 13.2.
package enum CommitTree {
    /// Computes the bytes of `MRKL`, which may be wrong or missing in the file.
    ///
    /// Costs a reading of all commits after the signed one before.
    ///
    /// - Parameter number: the number of the signed commit, from 0.
    /// - Throws: `untrusted` for a commit that cannot have been signed; `damaged`, `io`.
    package static func bytes(
        ofCommit number: Int, in archive: ArchiveReader, threads: Int
    ) throws(ArchiveError) -> [UInt8] {
        let (commits, source) = (archive.index.commits, archive.index.source)
        var (first, statement) = (number, SignedStatement?.none)
        while first > 0, statement == nil {
            let before = commits[first - 1]
            statement = try SignedStatement(of: before.sections, before.footer, in: source)
            if statement == nil { first -= 1 }
        }
        return try bytes(of: commits[first...number], after: statement, in: source, threads: threads)
    }

    /// Computes the bytes of `MRKL` of the commit that ends a file.
    ///
    /// Reads it and all commits after the previous signed one, and opens no others: the last of many signed commits costs no more than the
    /// first.
    ///
    /// - Parameter footer: the footer of the commit.
    /// - Throws: as ``bytes(ofCommit:in:threads:)``; `damaged` if the file does not end with this footer.
    package static func bytes(
        ofLastCommit footer: CommitFooter, in source: any ByteSource, threads: Int
    ) throws(ArchiveError) -> [UInt8] {
        guard footer.end == source.length, let last = try CommitChain.intactCommit(at: footer.offset, in: source),
            last.footer == footer
        else { throw .damaged("the last commit is damaged or was cut off", offset: footer.offset) }
        var (chain, statement) = ([last], SignedStatement?.none)
        while statement == nil, let first = chain.last, let before = try CommitChain.commit(before: first, in: source) {
            statement = try SignedStatement(of: before.sections, before.footer, in: source)
            if statement == nil { chain.append(before) }
        }
        var commits: [CommitIndex] = []
        for commit in chain.reversed() {
            commits.append(try CommitIndex(source: source, footer: commit.footer, sections: commit.sections))
        }
        return try bytes(of: commits[...], after: statement, in: source, threads: threads)
    }

    /// Computes the bytes of the tree of consecutive commits.
    ///
    /// - Parameter commits: the commits that the tree covers; the last one holds it.
    private static func bytes(
        of commits: ArraySlice<CommitIndex>, after statement: SignedStatement?, in source: any ByteSource, threads: Int
    ) throws(ArchiveError) -> [UInt8] {
        let leaves = try leaves(of: commits, holdingTree: (commits.last?.footer.commitNumber).map { Int($0) }).leaves
        let header = try source.bytes(at: 0, count: 32)
        let hashes =
            try TreeHash.head(header, after: statement) + LeafHasher(threads: threads).hashes(leaves, in: source)
        return TreeHash.levels(hashes).stored
    }

    /// Lays out the leaves of commits that a tree covers as a whole, after that of the header.
    ///
    /// - Parameter number: the number of the commit that holds the tree; nil if it is none of these.
    /// - Returns: the leaves, and the number of the next one.
    /// - Throws: as ``bytes(ofCommit:in:threads:)``.
    static func leaves(
        of commits: ArraySlice<CommitIndex>, holdingTree number: Int?
    ) throws(ArchiveError) -> (leaves: [Leaf], next: UInt64) {
        var (leaves, next) = ([Leaf](), UInt64(1))
        for commit in commits {
            let layout = try LeafLayout(
                footer: commit.footer, sections: commit.sections, blockCount: commit.rowCount(.block),
                holdsTree: number == Int(commit.footer.commitNumber), first: next)
            leaves += try layout.leaves(blocks: commit.blockOffsets())
            leaves.append(Leaf(kind: .end, extent: layout.end))
            next = layout.endLeaf + 1
        }
        return (leaves, next)
    }
}
