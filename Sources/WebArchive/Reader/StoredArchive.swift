// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchiveFormat

/// A view of an archive as stored blocks and bodies, for compactors and reports.
///
/// Rows are numbered through all commits. Specification section 5.
package struct StoredArchive: Sendable {
    /// A stored block.
    package struct Block: Sendable {
        /// The extent of the stored bytes in the file.
        package let stored: FileExtent
        /// The decoded length, in bytes.
        package let length: UInt32
        /// The CRC of the stored bytes.
        package let checksum: UInt32
        /// The coding of the stored bytes.
        package let coding: BlockCoding
        /// The row of the dictionary; nil without one.
        package let dictionary: Int?
    }

    /// A body, and the blocks that hold parts of it; none for an empty body.
    package struct Body: Sendable {
        /// The body itself.
        package let body: ArchiveBody
        /// The offset of the body in its first block, in bytes.
        package let offset: UInt64
        /// The rows of its blocks, all of one commit.
        package let blocks: Range<Int>
        /// The row of the body.
        package let number: Int
        /// The MD5 of the body.
        package var digest: ContentDigest { body.digest }
        /// The length of the body, in bytes.
        package var length: UInt64 { body.length }
    }

    let archive: ArchiveReader
    /// The reader of the archive.
    package var reader: ArchiveReader { archive }
    var index: ArchiveIndex { archive.index }

    /// Creates a view of an archive, at no cost.
    package init(_ archive: ArchiveReader) { self.archive = archive }

    /// The additions of one commit.
    package struct Commit: Sendable {
        /// The number of the commit, from 0.
        package let number: UInt32
        /// The length of the commit, in bytes: from the end of the previous commit to the end of its footer.
        package let length: UInt64
        /// The length of `BLKS`, in bytes.
        package let blocksLength: UInt64
        /// The length of `INDX`, in bytes.
        package let indexLength: UInt64
        /// The number of entries that the commit added.
        package let entryCount: Int
        /// The number of bodies that the commit added, including those of dictionaries.
        package let bodyCount: Int
    }

    /// The commits, the oldest first.
    package var commits: [Commit] {
        index.commits.map { commit in
            Commit(
                number: commit.footer.commitNumber, length: commit.footer.end - commit.footer.commitStart,
                blocksLength: commit.blocks.length, indexLength: commit.sections[.index]?.extent.length ?? 0,
                entryCount: commit.rowCount(.entry), bodyCount: commit.rowCount(.body))
        }
    }

    /// The decoded length of a full block, in bytes.
    package var blockLength: Int { archive.blocks.blockLength }

    /// The exponent of blocks in the header, 12 to 20.
    package var blockExponent: UInt8 { index.header.blockExponent }

    /// The number of blocks of all commits.
    package var blockCount: Int { index.rowCount(.block) }

    var fileLength: UInt64 { index.source.length }

    /// The number of bytes of the blocks that the reader has decoded so far; one that is decoded twice counts twice.
    package var decodedLength: UInt64 { archive.blocks.decodedLength.load(ordering: .relaxed) }

    /// The number of bodies of all commits, including those of dictionaries.
    package var bodyCount: Int { index.rowCount(.body) }

    /// The error of a last commit that was whole once and that a writer would truncate; nil if there is none. Specification section 9.
    package var lastCommitDamage: ArchiveError? {
        guard archive.isLastCommitDamaged else { return nil }
        return .damaged("the last commit is damaged or truncated", offset: archive.fileLength - archive.tornTail)
    }

    /// Describes a block.
    ///
    /// - Parameter number: its row.
    /// - Throws: `damaged`, `unsupportedFeature` or `io`; `invalidArgument` if there is no such row.
    package func block(_ number: Int) throws(ArchiveError) -> Block {
        let description = try archive.blocks.describe(place(.block, number))
        return Block(
            stored: description.stored, length: UInt32(description.length), checksum: description.checksum,
            coding: description.coding, dictionary: description.dictionary.map { row(.dictionary, $0) })
    }

    /// Reads the stored bytes of a block, and checks them.
    ///
    /// - Throws: as ``block(_:)``, and `damaged` if they do not match their checksum.
    package func storedBytes(_ number: Int) throws(ArchiveError) -> [UInt8] {
        try archive.blocks.storedBytes(archive.blocks.describe(place(.block, number)))
    }

    /// Checks the stored bytes of a block.
    ///
    /// - Throws: `damaged` if they do not match their checksum; `untrusted`.
    func check(_ stored: UnsafeRawBufferPointer, ofBlock number: Int) throws(ArchiveError) {
        try archive.blocks.check(stored, archive.blocks.describe(place(.block, number)))
    }

    /// Decodes a block to prove that it can be.
    ///
    /// - Throws: `damaged` if it cannot.
    func checkDecoding(_ number: Int) throws(ArchiveError) {
        try archive.blocks.withDecoded(archive.blocks.describe(place(.block, number))) { _ throws(ArchiveError) in }
    }

    /// Reads the decoded bytes of a block.
    ///
    /// - Throws: as ``storedBytes(_:)``.
    package func decodedBytes(_ number: Int) throws(ArchiveError) -> [UInt8] {
        var decoded: [UInt8] = []
        try archive.blocks.withDecoded(archive.blocks.describe(place(.block, number))) { bytes throws(ArchiveError) in
            decoded = Array(bytes)
        }
        return decoded
    }

    /// Calls `work` with every body of every commit, in the order of their digests in each.
    ///
    /// - Parameters:
    ///   - skippingDamaged: whether bodies that the index does not describe are passed over, and not the end of the
    ///     walk.
    ///   - work: a function whose errors end the iteration.
    package func forEachBody(
        skippingDamaged: Bool = false, _ work: (Body) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        // Made when the first body runs through several blocks.
        var fullBlocks: FullBlocks?
        for number in 0..<index.rowCount(.body) {
            let body: Body
            do throws(ArchiveError) {
                body = try self.body(number, &fullBlocks)
            } catch  where error.code == .damaged && skippingDamaged {
                continue
            }
            try work(body)
        }
    }

    private func body(_ number: Int, _ fullBlocks: inout FullBlocks?) throws(ArchiveError) -> Body {
        let body = try archive.body(place(.body, number))
        guard let start = body.start else { return Body(body: body, offset: 0, blocks: 0..<0, number: number) }
        let first = row(.block, start.block)
        let isWithin = try UInt64(start.offset) + body.length <= UInt64(block(first).length)
        let size = UInt64(blockLength)
        let count = isWithin ? 1 : Int((body.length + size - 1) / size)
        let blocks = first..<first + count
        if !isWithin {
            // Fails where the blocks of the commit end before the body does, or the last one is too short.
            _ = try archive.blocks.part(UInt64(count - 1), of: body, from: start)
            let full = fullBlocks ?? FullBlocks(self)
            fullBlocks = full
            guard full.contain(blocks) else { throw archive.blocks.doNotAddUp(body) }
        }
        return Body(body: body, offset: UInt64(start.offset), blocks: blocks, number: number)
    }

    /// Finds the bodies that are dictionaries, by their rows.
    package func dictionaryBodies() throws(ArchiveError) -> Set<Int> {
        var bodies: Set<Int> = []
        for number in 0..<index.rowCount(.dictionary) {
            if let body = try dictionaryBody(number) { bodies.insert(body) }
        }
        return bodies
    }

    /// Finds the body of a dictionary, by its row; nil for none.
    package func dictionaryBody(_ number: Int) throws(ArchiveError) -> Int? {
        try index.row(.dictionaryBody, place(.dictionary, number)).map { row(.body, $0) }
    }

    /// Finds the block of a dictionary, which several dictionaries may share.
    func dictionaryBlock(_ number: Int) throws(ArchiveError) -> Int {
        row(.block, try archive.blocks.dictionaryBlock(place(.dictionary, number)).place)
    }

    /// Reads the bytes of a dictionary, 1 to 65,536.
    package func dictionaryContents(_ number: Int) throws(ArchiveError) -> [UInt8] {
        var contents: [UInt8] = []
        try archive.blocks.dictionaryBytes(place(.dictionary, number)).withBytes { bytes throws(ArchiveError) in
            contents = Array(bytes)
        }
        return contents
    }

    /// Reads the stored purpose of a dictionary; nil if it has none.
    package func dictionaryName(_ number: Int) throws(ArchiveError) -> [UInt8]? {
        try index.string(.dictionaryName, place(.dictionary, number)).map(Array.init)
    }

    private func place(_ owner: IndexClass, _ number: Int) throws(ArchiveError) -> RowPlace {
        guard let place = index.place(owner, row: number) else {
            throw ArchiveError(.invalidArgument, "row \(number) of \(owner.name) does not exist", path: archive.name)
        }
        return place
    }

    private func row(_ owner: IndexClass, _ place: RowPlace) -> Int { index.number(owner, place) }
}
