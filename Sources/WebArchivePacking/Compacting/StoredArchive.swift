// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// An archive as its blocks and bodies lie in it: what a compactor copies and a report adds up.
///
/// Takes 32 bytes of memory for each block. Specification section 5.
package struct StoredArchive: Sendable {
    /// A row of `Block`, held against the limits.
    package struct Block: Sendable {
        package let stored: FileExtent
        package let length: UInt32
        package let checksum: UInt32
        package let coding: BlockCoding
        /// Row of the dictionary, through all commits.
        package let dictionary: Int?
    }

    /// A row of `Body`.
    package struct Body: Sendable {
        package let digest: ContentDigest
        package let length: UInt64
        package let offset: UInt64
        /// The blocks, numbered through all commits, of which the body has a part; empty for a body of no bytes.
        package let blocks: Range<Int>
        /// Row of the body, through all commits.
        package let number: Int
    }

    package let header: ArchiveHeader
    /// Oldest first.
    package let commits: [StoredCommit]
    /// Of all commits.
    package let blocks: [Block]
    private let source: any ByteSource

    /// Takes the archive that a reader has found whole, up to the end of its newest whole commit.
    package init(_ source: any ByteSource, openedAs reader: ArchiveReader) throws(ArchiveError) {
        let start = try FileExtent(offset: 0, length: UInt64(FormatLimits.headerLength), within: source.length)
        header = try ArchiveHeader(decoding: source.read(start))
        self.source = source
        var commits = [try StoredCommit(endingAt: source.length - reader.tornTail, of: source)]
        while let last = commits.last, last.footer.commitNumber > 0 {
            commits.append(try StoredCommit(endingAt: last.footer.commitStart, of: source))
        }
        self.commits = commits.reversed()
        var blocks: [Block] = []
        for commit in self.commits { try Self.append(commit, to: &blocks, blockLength: UInt64(header.blockLength)) }
        self.blocks = blocks
    }

    private static func append(
        _ commit: StoredCommit, to blocks: inout [Block], blockLength: UInt64
    ) throws(ArchiveError) {
        guard let area = commit.blocks, commit.rowCount(.block) > 0 else { return }
        // Where a block ends is known with the next row.
        var pending: (start: UInt64, row: StoredRow)?
        func finish(end: UInt64) throws(ArchiveError) {
            guard let (start, row) = pending else { return }
            guard start <= end, let coding = BlockCoding(rawValue: try row.integer(.blockCoding)) else {
                throw ArchiveError(.unsupportedFeature, "a block of a later version", offset: row.fileOffset)
            }
            let length = try row.count(.blockLength, atMost: blockLength)
            guard coding == .raw ? end - start == length : end - start < length else {
                throw .damaged("a block of impossible length", offset: row.fileOffset)
            }
            blocks.append(
                Block(
                    stored: try area.part(offset: start, length: end - start), length: UInt32(length),
                    checksum: UInt32(try row.count(.blockChecksum, atMost: UInt64(UInt32.max))), coding: coding,
                    dictionary: try row.reference(.blockDictionary)))
        }
        try commit.forEachRow(.block) { _, row throws(ArchiveError) in
            let start = try row.count(.blockOffset, atMost: area.length)
            try finish(end: start)
            pending = (start, row)
        }
        try finish(end: area.length)
    }

    /// Calls `work` with every body of every commit.
    package func forEachBody(_ work: (Body) throws(ArchiveError) -> Void) throws(ArchiveError) {
        for commit in commits {
            try commit.forEachRow(.body) { number, row throws(ArchiveError) in
                try work(body(row, number: commit.firstRow(.body) + number))
            }
        }
    }

    private func body(_ row: StoredRow, number: Int) throws(ArchiveError) -> Body {
        let length = try row.count(.bodyLength, atMost: FormatLimits.maximumFileLength)
        let offset = try row.count(.bodyOffset, atMost: UInt64(header.blockLength))
        let digest = try row.digest
        guard length > 0, let first = try row.reference(.bodyBlock) else {
            return Body(digest: digest, length: 0, offset: 0, blocks: 0..<0, number: number)
        }
        guard first < blocks.count else { throw .damaged("a body without its block", offset: row.fileOffset) }
        let isWithin = offset + length <= UInt64(blocks[first].length)
        let size = UInt64(header.blockLength)
        let count = isWithin ? 1 : Int((length + size - 1) / size)
        let commit = try commit(.block, first)
        guard isWithin || offset == 0 && count > 1,
            first + count <= commit.firstRow(.block) + commit.rowCount(.block)
        else {
            throw .damaged("a body runs out of blocks", offset: row.fileOffset)
        }
        return Body(digest: digest, length: length, offset: offset, blocks: first..<first + count, number: number)
    }

    /// The stored bytes of a block, checked.
    package func storedBytes(_ block: Block) throws(ArchiveError) -> [UInt8] {
        let bytes = try source.read(block.stored)
        guard Checksum.of(bytes[...]) == block.checksum else {
            throw ArchiveError(
                .damaged, "a block does not match its checksum", path: source.name, offset: block.stored.offset)
        }
        return bytes
    }

    /// The bytes of a block.
    package func decode(_ block: Block, dictionary: [UInt8] = []) throws(ArchiveError) -> [UInt8] {
        let stored = try storedBytes(block)
        guard block.coding == .lz4 else { return stored }
        var decoded = [UInt8](repeating: 0, count: Int(block.length))
        try decoded.withMutableBytes { (target) throws(ArchiveError) in
            try stored.withBytes { (stored) throws(ArchiveError) in
                try dictionary.withBytes { (dictionary) throws(ArchiveError) in
                    try BlockCoding.decodeLZ4(stored, dictionary: dictionary, into: target)
                }
            }
        }
        return decoded
    }

    // MARK: - Dictionaries

    /// The bodies that are dictionaries, by their rows.
    package func dictionaryBodies() throws(ArchiveError) -> Set<Int> {
        var bodies: Set<Int> = []
        for commit in commits {
            try commit.forEachRow(.dictionary) { _, row throws(ArchiveError) in
                if let body = try row.reference(.dictionaryBody) { bodies.insert(body) }
            }
        }
        return bodies
    }

    /// A dictionary: what it is for, and its bytes.
    package func dictionary(_ number: Int) throws(ArchiveError) -> (name: String, contents: [UInt8]) {
        let row = try row(.dictionary, number)
        guard let bodyNumber = try row.reference(.dictionaryBody) else {
            throw .damaged("a dictionary without a body", offset: row.fileOffset)
        }
        let body = try body(self.row(.body, bodyNumber), number: bodyNumber)
        guard body.blocks.count == 1, body.length <= UInt64(FormatLimits.maximumDictionaryLength),
            blocks[body.blocks.lowerBound].dictionary == nil
        else { throw .damaged("a dictionary that is not one plain block", offset: row.fileOffset) }
        let block = try decode(blocks[body.blocks.lowerBound])
        let name = try row.reference(.dictionaryName).mapTyped(string) ?? ""
        return (name, Array(block[Int(body.offset)..<Int(body.offset + body.length)]))
    }

    /// The names of all metadata values, removed ones included.
    package func metadataNames() throws(ArchiveError) -> Set<String> {
        var names: Set<String> = []
        for commit in commits {
            try commit.forEachRow(.metadata) { _, row throws(ArchiveError) in
                if let name = try row.reference(.metadataName) { names.insert(try string(name)) }
            }
        }
        return names
    }

    private func string(_ number: Int) throws(ArchiveError) -> String {
        let commit = try commit(.string, number)
        return String(decoding: try commit.string(number - commit.firstRow(.string)), as: UTF8.self)
    }

    private func row(_ owner: IndexClass, _ number: Int) throws(ArchiveError) -> StoredRow {
        let commit = try commit(owner, number)
        return try commit.row(owner, number - commit.firstRow(owner))
    }

    private func commit(_ owner: IndexClass, _ number: Int) throws(ArchiveError) -> StoredCommit {
        let commit = commits.last { $0.rowCount(owner) > 0 && $0.firstRow(owner) <= number }
        guard let commit, number < commit.firstRow(owner) + commit.rowCount(owner) else {
            throw .damaged(
                "a reference to \(owner.name) \(number), which is not there", offset: commits.last?.footer.offset)
        }
        return commit
    }
}
