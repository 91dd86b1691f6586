// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchiveFormat

/// A store that reads, checks and decodes blocks. Specification section 5.
final class BlockStore: Sendable {
    /// A row of `Block`, checked against the limits.
    struct Description {
        /// The row of the block.
        let place: RowPlace
        /// The extent of the stored bytes in the file.
        let stored: FileExtent
        /// The decoded length, in bytes.
        let length: Int
        /// The CRC of the stored bytes.
        let checksum: UInt32
        /// The coding of the stored bytes.
        let coding: BlockCoding
        /// The row of the dictionary; nil without one.
        let dictionary: RowPlace?
    }

    let index: ArchiveIndex
    /// The decoded length of a full block, in bytes.
    let blockLength: Int
    /// The blocks that several bodies share, and dictionaries, which are needed repeatedly.
    private let shared = BlockCache(capacity: 16)
    private let dictionaries = BlockCache(capacity: 512)
    /// The number of bytes of all blocks that were decoded or copied so far, for callers with a limit on it.
    let decodedLength = Atomic<UInt64>(0)

    init(index: ArchiveIndex) {
        self.index = index
        blockLength = index.header.blockLength
    }

    /// Reads a row of `Block`, and checks it against the rules of section 5.
    ///
    /// - Throws: `damaged`; `unsupportedFeature` for an unknown coding; `io`.
    func describe(_ place: RowPlace) throws(ArchiveError) -> Description {
        let commit = index.commit(place)
        let row = Int(place.row)
        let area = commit.blocks
        let start = try commit.count(.blockOffset, row, atMost: Int(area.length))
        let end =
            row + 1 < commit.rowCount(.block)
            ? try commit.count(.blockOffset, row + 1, atMost: Int(area.length)) : Int(area.length)
        let length = try commit.count(.blockLength, row, atMost: blockLength)
        let coding = try commit.integer(.blockCoding, row)
        guard let coding = BlockCoding(rawValue: coding) else {
            throw ArchiveError(
                .unsupportedFeature, "unknown block coding \(coding)",
                path: index.source.name, offset: commit.fileOffset(.blockCoding, row))
        }
        let fits = coding == .raw ? end - start == length : end - start < length
        guard row > 0 || start == 0, start < end, fits else {
            throw commit.damaged("invalid block length", .blockLength, row)
        }
        return Description(
            place: place,
            stored: try area.part(offset: UInt64(start), length: UInt64(end - start)), length: length,
            checksum: UInt32(try commit.count(.blockChecksum, row, atMost: Int(UInt32.max))), coding: coding,
            dictionary: try index.row(.blockDictionary, place))
    }

    // MARK: - Decoding

    /// Calls `work` with the decoded bytes of a block, valid until it returns. Raw ones of a mapped file are not
    /// copied.
    func withDecoded(
        _ description: Description, _ work: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        if description.coding == .raw, let mapped = mapped(description) {
            try check(mapped, description)
            return try work(mapped)
        }
        let buffer = ScratchBuffer(description.length)
        try decode(description, into: buffer.bytes)
        try work(UnsafeRawBufferPointer(buffer.bytes))
    }

    /// Fills memory of the length of a block with its bytes, which may be used only if this does not throw.
    func decode(
        _ description: Description, into target: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) {
        decodedLength.add(UInt64(description.length), ordering: .relaxed)
        if let mapped = mapped(description) {
            try check(mapped, description)
            if description.coding == .raw { return target.copyMemory(from: mapped) }
            return try decode(mapped, description, into: target)
        }
        if description.coding == .raw {
            try index.source.read(at: description.stored.offset, into: target)
            return try check(UnsafeRawBufferPointer(target), description)
        }
        let stored = ScratchBuffer(Int(description.stored.length))
        try index.source.read(at: description.stored.offset, into: stored.bytes)
        try check(UnsafeRawBufferPointer(stored.bytes), description)
        try decode(UnsafeRawBufferPointer(stored.bytes), description, into: target)
    }

    /// Returns the stored bytes of a block, not checked, if the file is in memory.
    private func mapped(_ description: Description) -> UnsafeRawBufferPointer? {
        index.source.mappedBytes.map { bytes in
            let start = Int(description.stored.offset)
            return UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(description.stored.length)])
        }
    }

    /// Decodes stored bytes that have been checked.
    func decode(
        _ stored: UnsafeRawBufferPointer, _ description: Description, into target: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) {
        let dictionary = try description.dictionary.mapTyped(dictionaryBytes)
        do throws(ArchiveError) {
            if let dictionary {
                try dictionary.withBytes { bytes throws(ArchiveError) in
                    try BlockCoding.decodeLZ4(stored, dictionary: bytes, into: target)
                }
            } else {
                let none = UnsafeRawBufferPointer(start: nil, count: 0)
                try BlockCoding.decodeLZ4(stored, dictionary: none, into: target)
            }
        } catch {
            throw ArchiveError(error.code, error.message, path: index.source.name, offset: description.stored.offset)
        }
    }

    /// Reads the stored bytes of a block, and checks them.
    ///
    /// - Throws: `damaged`, `untrusted`, `truncated`, `io`.
    func storedBytes(_ description: Description) throws(ArchiveError) -> [UInt8] {
        let bytes = try index.source.bytes(at: description.stored.offset, count: Int(description.stored.length))
        try bytes.withBytes { (bytes) throws(ArchiveError) in try check(bytes, description) }
        return bytes
    }

    /// Checks stored bytes against their CRC, and proves them in an archive that was opened with keys.
    ///
    /// - Throws: `damaged`, `untrusted`.
    func check(_ stored: UnsafeRawBufferPointer, _ description: Description) throws(ArchiveError) {
        guard Checksum.of(stored) == description.checksum else {
            throw ArchiveError(
                .damaged, "a block does not match its checksum", path: index.source.name,
                offset: description.stored.offset)
        }
        try index.commit(description.place).proof?
            .checkBlock(Int(description.place.row), at: description.stored.offset, stored)
    }

    /// Returns the block of a dictionary, checked against the rules for one.
    func dictionaryBlock(_ place: RowPlace) throws(ArchiveError) -> (place: RowPlace, description: Description) {
        let commit = index.commit(place)
        guard let row = try index.row(.dictionaryBody, place) else {
            throw commit.damaged("missing body", .dictionaryBody, Int(place.row))
        }
        let body = try ArchiveBody(place: row, store: self)
        guard let start = body.start, body.length <= FormatLimits.maximumDictionaryLength else {
            throw commit.damaged("invalid dictionary length \(body.length)", .dictionaryBody, Int(place.row))
        }
        let description = try describe(start.block)
        // A dictionary that needs a dictionary could lead in a circle, and one in a large block would cost much to get.
        guard description.dictionary == nil, start.offset == 0, Int(body.length) == description.length else {
            throw commit.damaged(
                "the dictionary is not a single block without a dictionary", .dictionaryBody, Int(place.row))
        }
        return (start.block, description)
    }

    /// Reads the decoded bytes of a dictionary, from the cache if it has them.
    func dictionaryBytes(_ place: RowPlace) throws(ArchiveError) -> DecodedBlock {
        let (block, description) = try dictionaryBlock(place)
        // By the block, which several rows may have as their dictionary.
        return try cached(block, description, in: dictionaries)
    }

    // MARK: - Bodies

    /// Calls `work` with the bytes of a range of a body, block by block.
    ///
    /// A block that the body shares with others is cached: the next body of it is likely to be needed
    /// soon.
    func forEachBuffer(
        of body: ArchiveBody, from start: (block: RowPlace, offset: Int), in range: Range<UInt64>,
        _ work: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let first = try describe(start.block)
        if UInt64(start.offset) + body.length <= UInt64(first.length) {
            let part = start.offset + Int(range.lowerBound)..<start.offset + Int(range.upperBound)
            if body.length == UInt64(first.length) {
                return try withDecoded(first) { bytes throws(ArchiveError) in
                    try work(UnsafeRawBufferPointer(rebasing: bytes[part]))
                }
            }
            return try cached(start.block, first, in: shared).withBytes { bytes throws(ArchiveError) in
                try work(UnsafeRawBufferPointer(rebasing: bytes[part]))
            }
        }
        try forEachPart(of: body, from: start, in: range) { description, part throws(ArchiveError) in
            try withDecoded(description) { bytes throws(ArchiveError) in
                try work(UnsafeRawBufferPointer(rebasing: bytes[part]))
            }
        }
    }

    /// Fills memory of the length of a range with its bytes; a whole block is decoded in place.
    func fill(
        _ target: UnsafeMutableRawBufferPointer, of body: ArchiveBody, from start: (block: RowPlace, offset: Int),
        in range: Range<UInt64>
    ) throws(ArchiveError) {
        var rest = target[...]
        func next(_ count: Int) -> UnsafeMutableRawBufferPointer {
            defer { rest = rest.dropFirst(count) }
            return UnsafeMutableRawBufferPointer(rebasing: rest.prefix(count))
        }
        guard body.length > UInt64(blockLength) else {
            return try forEachBuffer(of: body, from: start, in: range) { chunk throws(ArchiveError) in
                next(chunk.count).copyMemory(from: chunk)
            }
        }
        try forEachPart(of: body, from: start, in: range) { description, part throws(ArchiveError) in
            let place = next(part.count)
            if part.count == description.length { return try decode(description, into: place) }
            try withDecoded(description) { bytes throws(ArchiveError) in
                place.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[part]))
            }
        }
    }

    /// Calls `work` with the blocks of a body across several blocks, and the part of each that is in a range.
    private func forEachPart(
        of body: ArchiveBody, from start: (block: RowPlace, offset: Int), in range: Range<UInt64>,
        _ work: (Description, Range<Int>) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let size = UInt64(blockLength)
        for number in range.lowerBound / size...(range.upperBound - 1) / size {
            let description = try part(number, of: body, from: start)
            let blockStart = number * size
            let expected = min(size, body.length - blockStart)
            let low = Int(max(range.lowerBound, blockStart) - blockStart)
            let high = Int(min(range.upperBound, blockStart + expected) - blockStart)
            try work(description, low..<high)
        }
    }

    /// Returns block `number` of a body across several blocks: full, or for the last one at least the remaining length of the body.
    func part(
        _ number: UInt64, of body: ArchiveBody, from start: (block: RowPlace, offset: Int)
    ) throws(ArchiveError) -> Description {
        let description = try describe(block(number, of: body, from: start))
        let remaining = body.length - number * UInt64(blockLength)
        guard UInt64(description.length) >= min(remaining, UInt64(blockLength)) else {
            throw doNotAddUp(body)
        }
        return description
    }

    /// Creates the error of a body whose blocks do not cover its length.
    func doNotAddUp(_ body: ArchiveBody) -> ArchiveError {
        index.commit(body.place).damaged("the blocks do not cover the body's length", .bodyLength, Int(body.place.row))
    }

    /// Returns block `number` of a body across several blocks.
    func block(
        _ number: UInt64, of body: ArchiveBody, from start: (block: RowPlace, offset: Int)
    ) throws(ArchiveError) -> RowPlace {
        let row = UInt64(start.block.row) + number
        let commit = index.commit(start.block)
        guard start.offset == 0, row < UInt64(commit.rowCount(.block)) else {
            throw index.commit(body.place).damaged(
                "the blocks do not cover the body's length", .bodyBlock, Int(body.place.row))
        }
        return RowPlace(commit: start.block.commit, row: UInt32(row))
    }

    private func cached(
        _ place: RowPlace, _ description: Description, in cache: BlockCache
    ) throws(ArchiveError) -> DecodedBlock {
        if let cached = cache[place] { return cached }
        let block = DecodedBlock(count: description.length)
        try withDecoded(description) { bytes throws(ArchiveError) in block.fill(from: bytes) }
        cache[place] = block
        return block
    }
}
