// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

extension CommitBuilder {
    /// Stores a body, unless the archive already has the same bytes. As ``ArchiveWriter/addBody(_:)-([UInt8])``.
    package func addBody(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> BodyReference {
        try addBody(bytes, digest: ContentDigest(hashing: bytes))
    }

    /// Stores a body with a known digest, unless the archive already has the same bytes.
    ///
    /// - Parameter digest: the MD5 of the bytes, which is not computed again.
    package func addBody(
        _ bytes: UnsafeRawBufferPointer, digest: ContentDigest
    ) throws(ArchiveError) -> BodyReference {
        if let existing = try existingBody(digest, bytes) { return existing }
        let block = UInt32(draft.blocks.count)
        var rest = bytes[...]
        while !rest.isEmpty {
            _ = try compressBlock(UnsafeRawBufferPointer(rebasing: rest.prefix(blockLength)))
            rest = rest.dropFirst(blockLength)
        }
        return try register(digest, length: UInt64(bytes.count), block: block, offset: 0)
    }

    /// Starts a body whose bytes arrive in pieces.
    package func beginBody() throws(ArchiveError) -> ArchiveWriter.BodyStream {
        try checkUnfinished()
        return ArchiveWriter.BodyStream(self)
    }

    // MARK: - Blocks

    /// The maximum length of bodies that share a block together, in bytes: neighbours then compress each other, and reading one of them
    /// costs one such block.
    package static let groupLength = 64 << 10

    /// Compresses a block, against a dictionary if one is given, and appends it.
    ///
    /// - Parameter dictionary: the number of the dictionary.
    func compressBlock(
        _ bytes: UnsafeRawBufferPointer, dictionary: UInt32 = 0, _ prepared: PreparedDictionary? = nil
    ) throws(ArchiveError) -> UInt32 {
        let stored = ScratchBuffer(bytes.count)
        let limit = UnsafeMutableRawBufferPointer(rebasing: stored.bytes[..<Self.storedLimit(bytes.count)])
        if let length = compressor.compress(bytes, dictionary: prepared, into: limit) {
            let compressed = UnsafeRawBufferPointer(rebasing: limit[..<length])
            return try appendBlock(compressed, length: bytes.count, isCompressed: true, dictionary: dictionary)
        }
        return try appendBlock(bytes, length: bytes.count, isCompressed: false, dictionary: 0)
    }

    /// Returns the maximum stored length of a compressed block: one that saves less than about 3 % is stored raw, and read
    /// without decoding.
    ///
    /// - Parameter length: the length of the block, in bytes.
    package static func storedLimit(_ length: Int) -> Int { length - length / 32 - 1 }

    /// Appends a compressed block, and returns its number in this commit.
    ///
    /// - Parameters:
    ///   - stored: the stored bytes, decoded ones if the block is raw.
    ///   - length: the length of the block, decoded.
    ///   - isCompressed: whether its coding is LZ4.
    ///   - dictionary: its number, from 1 through all commits; 0 for none.
    ///   - checksum: the CRC of `stored`, if it is known.
    package func appendBlock(
        _ stored: UnsafeRawBufferPointer, length: Int, isCompressed: Bool, dictionary: UInt32, checksum: UInt32? = nil
    ) throws(ArchiveError) -> UInt32 {
        try checkUnfinished()
        let offset = file.position - bodies.blocksStart
        try file.append(stored)
        draft.blocks.append(
            IndexDraft.Block(
                offset: offset, length: UInt32(length), checksum: checksum ?? Checksum.of(stored),
                isCompressed: isCompressed, dictionary: dictionary))
        return UInt32(draft.blocks.count - 1)
    }

    // MARK: - Sharing

    private func existingBody(
        _ digest: ContentDigest, _ bytes: UnsafeRawBufferPointer
    ) throws(ArchiveError) -> BodyReference? {
        try existingBody(digest, length: UInt64(bytes.count), comparing: MemoryBody(bytes: bytes)) { _ in nil }
    }

    /// Finds a body with this digest and the same bytes.
    ///
    /// - Parameter comparison: a function that returns whether a body of this commit is equal, or nil if its blocks have been appended and
    ///   it can be read back.
    /// - Returns: the body; nil if there is none, or only unreadable ones.
    package func existingBody(
        _ digest: ContentDigest, length: UInt64, comparing bytes: some BodyBytes,
        comparison: (UInt32) throws(ArchiveError) -> Bool?
    ) throws(ArchiveError) -> BodyReference? {
        try checkUnfinished()
        let number = try bodies.find(digest, length: length, in: draft, comparing: bytes, comparison: comparison)
        return number.map { BodyReference(number: $0, digest: digest, length: length) }
    }

    /// Returns the reference to a body of this commit or an earlier one.
    ///
    /// - Parameter number: the number of a reference that this builder returned.
    /// - Throws: `damaged`, `io` for a body of an earlier commit.
    package func reference(toBody number: UInt32) throws(ArchiveError) -> BodyReference {
        let row = Int(number) - 1 - Int(draft.firstRow(.body))
        if row >= 0 {
            let body = draft.bodies[row]
            return BodyReference(number: number, digest: body.digest, length: body.length)
        }
        guard let base, let place = base.index.place(.body, row: Int(number) - 1) else {
            preconditionFailure("no body \(number)")
        }
        let body = try base.body(place)
        return BodyReference(number: number, digest: body.digest, length: body.length)
    }

    /// The number of the next body.
    package var nextBodyNumber: UInt32 { draft.firstRow(.body) + UInt32(draft.bodies.count) + 1 }

    /// Sets the position of a body that was registered while its block was still being filled.
    ///
    /// A body gets its number in the order of the files, a shared block when it is full. Neither order can follow the other: blocks
    /// numbered at their first body would have to wait in memory for the slowest group, and bodies numbered at their block could not be
    /// found by the files that come between.
    package func setPlace(ofBody body: UInt32, block: UInt32, offset: UInt32) {
        let row = Int(body - draft.firstRow(.body)) - 1
        draft.bodies[row].block = block
        draft.bodies[row].offset = offset
    }

    /// Adds a body whose blocks have been appended.
    ///
    /// - Parameters:
    ///   - block: the number of its first block in this commit.
    ///   - offset: the offset of the body in that block, in bytes; 0 if it runs through several.
    package func register(
        _ digest: ContentDigest, length: UInt64, block: UInt32, offset: UInt32
    ) throws(ArchiveError) -> BodyReference {
        try checkUnfinished()
        let number = UInt64(draft.firstRow(.body)) + UInt64(draft.bodies.count) + 1
        guard number <= FormatLimits.maximumRowCount else {
            throw ArchiveError(.limitExceeded, "too many bodies")
        }
        draft.bodies.append(IndexDraft.Body(digest: digest, block: block, offset: offset, length: length))
        bodies.insert(UInt32(number), draft)
        return BodyReference(number: UInt32(number), digest: digest, length: length)
    }

    /// Finishes a body whose blocks are the last appended ones.
    package func finishBody(
        _ digest: ContentDigest, length: UInt64, firstBlock: Int, start: UInt64
    ) throws(ArchiveError) -> BodyReference {
        let own = WrittenBody(firstBlock: firstBlock, blockLength: blockLength, draft: draft, store: bodies)
        if let number = try existingBody(digest, length: length, comparing: own, comparison: { _ in nil })?.number {
            try takeBack(firstBlock: firstBlock, start: start)
            return BodyReference(number: number, digest: digest, length: length)
        }
        return try register(digest, length: length, block: UInt32(firstBlock), offset: 0)
    }

    /// Removes all appended blocks, before a body was registered in them.
    func takeBackBlocks() throws(ArchiveError) { try takeBack(firstBlock: 0, start: bodies.blocksStart) }

    /// Removes the blocks from one on, before a body was registered in them.
    ///
    /// - Parameters:
    ///   - firstBlock: its number in this commit.
    ///   - start: its offset in the file.
    func takeBack(firstBlock: Int, start: UInt64) throws(ArchiveError) {
        draft.blocks.truncate(to: firstBlock)
        try file.rewind(to: start)
    }

    // MARK: - Dictionaries

    /// Declares a dictionary of 1 to 65,536 bytes that blocks may use from now on, and returns its number.
    ///
    /// Its body is stored with the commit, after all other blocks: section 8.6.
    ///
    /// - Throws: `limitExceeded` for one that does not fit a block.
    package func addDictionary(_ contents: [UInt8], name: [UInt8]?) throws(ArchiveError) -> UInt32 {
        guard (1...min(blockLength, FormatLimits.maximumDictionaryLength)).contains(contents.count) else {
            throw ArchiveError(
                .limitExceeded, "the dictionary has \(contents.count) bytes, which exceed the limit", path: file.name)
        }
        let number = draft.firstRow(.dictionary) + UInt32(draft.dictionaries.count) + 1
        draft.dictionaries.append(IndexDraft.Dictionary(name: try draft.strings.intern(name), body: 0))
        bodies.dictionaryContents[number] = contents
        return number
    }

    /// Stores the dictionaries of this commit, each as a body in a block of its own.
    func storeDictionaries() throws(ArchiveError) {
        for row in draft.dictionaries.indices {
            let number = draft.firstRow(.dictionary) + UInt32(row) + 1
            guard let contents = bodies.dictionaryContents[number] else { continue }
            draft.dictionaries[row].body = try contents.withBytes { (bytes) throws(ArchiveError) in
                try addDictionaryBody(bytes)
            }.number
        }
    }

    /// Adds the body of a dictionary, which needs a block of its own without a dictionary, so it is not shared with other bodies.
    private func addDictionaryBody(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> BodyReference {
        let block = UInt32(draft.blocks.count)
        _ = try compressBlock(bytes)
        return try register(ContentDigest(hashing: bytes), length: UInt64(bytes.count), block: block, offset: 0)
    }
}

/// A body whose blocks are in the archive that is being written.
private struct WrittenBody: BodyBytes {
    let firstBlock: Int
    let blockLength: Int
    let draft: IndexDraft
    let store: BodyStore

    func equals(_ chunk: UnsafeRawBufferPointer, at position: UInt64) throws(ArchiveError) -> Bool {
        var rest = chunk[...]
        var position = Int(position)
        while !rest.isEmpty {
            let number = firstBlock + position / blockLength
            let decoded = try store.decode(draft.blocks[number], in: draft, number)
            let part = decoded[(position % blockLength)...].prefix(rest.count)
            guard part.elementsEqual(rest.prefix(part.count)) else { return false }
            rest = rest.dropFirst(part.count)
            position += part.count
        }
        return true
    }
}
