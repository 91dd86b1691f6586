// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchiveFormat

/// The proof of one commit's parts against a signed root: each part before its first use. Specification section 13.4.
final class CommitProof: Sendable {
    /// The leaves of the commit.
    let layout: LeafLayout
    /// The tree that covers the commit.
    let tree: HashTree
    private let name: String
    private let blocks: LeafLayout.Run?
    /// The proved blocks.
    private let provedBlocks: AtomicBits

    /// Creates the proof of a commit that a tree covers. It proves nothing yet.
    ///
    /// - Parameter name: the name of the archive, for errors.
    init(_ layout: LeafLayout, tree: HashTree, name: String) {
        (self.layout, self.tree, self.name) = (layout, tree, name)
        blocks = layout[.blocks].flatMap { $0.isBlocks ? $0 : nil }
        provedBlocks = AtomicBits(count: Int(blocks?.count ?? 0))
    }

    /// Proves section table and footer.
    func checkEnd(_ bytes: [UInt8]) throws(ArchiveError) {
        let hash = TreeHash.leaf(.end, at: layout.end.offset, bytes)
        guard try tree.contains(hash, at: layout.endLeaf) else {
            throw untrusted("the end of a commit", layout.end.offset)
        }
    }

    /// Proves a piece of a section.
    ///
    /// - Parameters:
    ///   - number: the number of the piece in the section, from 0.
    ///   - bytes: all of its bytes, as in the file.
    /// - Throws: `untrusted` if they differ from the signed bytes.
    func checkPiece(
        _ number: Int, of kind: SectionTable.Kind, _ bytes: UnsafeRawBufferPointer
    ) throws(ArchiveError) {
        guard let run = layout[kind], !run.isBlocks, number < run.count else {
            throw ArchiveError(
                .untrusted, "unproved part of section \(kind)", path: name, offset: layout.end.offset)
        }
        let offset = run.extent.offset + UInt64(number) * TreeShape.pieceLength
        guard try tree.contains(TreeHash.leaf(kind, at: offset, bytes), at: run.first + UInt64(number)) else {
            throw untrusted("a part of section \(kind)", offset)
        }
    }

    /// Proves the stored bytes of a block, unless this was done before.
    ///
    /// - Parameters:
    ///   - row: the row of the block in its commit.
    ///   - offset: the offset of the bytes in the file.
    /// - Throws: `untrusted` if they differ from the signed bytes.
    func checkBlock(_ row: Int, at offset: UInt64, _ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        guard let blocks, row < blocks.count else { throw untrusted("a block", offset) }
        guard !provedBlocks.contains(row) else { return }
        guard try tree.contains(TreeHash.leaf(.blocks, at: offset, bytes), at: blocks.first + UInt64(row)) else {
            throw untrusted("a block", offset)
        }
        provedBlocks.insert(row)
    }

    /// Checks the hash of a leaf against the tree, without remembering it.
    ///
    /// - Parameter number: the number of the leaf among those of the commit, in the order of ``LeafLayout/leaves(blocks:)``.
    /// - Throws: `untrusted` if it differs from the signed one.
    func check(_ leaf: Leaf, _ number: Int, hash: SHA256Digest) throws(ArchiveError) {
        guard try tree.contains(hash, at: layout.firstLeaf + UInt64(number)) else {
            throw untrusted(leaf.kind == .blocks ? "a block" : "a part of section \(leaf.kind)", leaf.extent.offset)
        }
    }

    private func untrusted(_ part: String, _ offset: UInt64) -> ArchiveError {
        ArchiveError(.untrusted, "\(part) does not match the signature", path: name, offset: offset)
    }
}
