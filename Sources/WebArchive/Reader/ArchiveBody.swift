// SPDX-License-Identifier: Apache-2.0

/// A body in an archive: its digest, its length, and access to its bytes, after content and transfer decoding.
///
/// Every block is checked against its CRC before any byte of it is returned. Reading a body does not compute the MD5;
/// ``ArchiveVerifier`` does that. A handle keeps its archive open, and may be used by any thread. Specification
/// section 5.
///
/// ```swift
/// if let body = try entry.body {
///     let start = try body.bytes(in: 0..<min(body.length, 512))
///     print(body.digest, body.length, start.count)
/// }
/// ```
public struct ArchiveBody: Sendable {
    /// The MD5 of the bytes (RFC 1321): an address, not a proof. Different bodies may share one digest.
    public let digest: ContentDigest
    /// The decoded length in bytes, from the index: reading proves it.
    public let length: UInt64

    /// The row of the body.
    let place: RowPlace
    /// The store that reads its blocks.
    let store: BlockStore
    /// The first block, and the offset of the body in it; nil for an empty body.
    let start: (block: RowPlace, offset: Int)?

    /// Reads a row of `Body`, and none of its blocks.
    ///
    /// - Throws: `damaged` for a body with bytes and without a block, or the reverse.
    init(place: RowPlace, store: BlockStore) throws(ArchiveError) {
        let index = store.index
        let commit = index.commit(place)
        let row = Int(place.row)
        self.place = place
        self.store = store
        digest = try commit.digest(row)
        length = UInt64(try commit.count(.bodyLength, row, atMost: Int(FormatLimits.maximumFileLength)))
        let offset = length == 0 ? 0 : try commit.count(.bodyOffset, row, atMost: store.blockLength)
        let block = try index.row(.bodyBlock, place)
        guard (block == nil) == (length == 0) else {
            throw commit.damaged(
                length > 0 ? "nonempty body without a block" : "empty body with a block", .bodyBlock, row)
        }
        start = block.map { ($0, offset) }
    }

    /// The identity of a body, valid as long as its archive is open.
    package struct Identity: Hashable, Sendable {
        /// The identity of the archive.
        let store: ObjectIdentifier
        fileprivate let place: RowPlace
    }

    /// The body's own identity, independent of others with the same digest.
    package var identity: Identity { Identity(store: ObjectIdentifier(store), place: place) }

    /// A number that grows in the order of bodies in the file.
    package var storagePlace: UInt64 {
        guard let start else { return 0 }
        return UInt64(start.block.commit) << 52 | UInt64(start.block.row) << 20 | UInt64(start.offset)
    }

    /// The length of a full block, in bytes: of a body across several blocks, each block starts at a multiple of it.
    package var blockLength: Int { store.blockLength }

    /// Reads all bytes into memory.
    ///
    /// Memory is allocated block by block as they are verified, so a false length costs nothing. For long bodies see
    /// ``forEachChunk(in:_:)`` and ``chunks(in:)``.
    ///
    /// - Returns: ``length`` bytes.
    /// - Throws: `damaged` for a block or its description that is wrong, `unsupportedFeature` for a block's coding of a
    ///   later version, `truncated` if the file became shorter, or `io`.
    public func bytes() throws(ArchiveError) -> [UInt8] { try bytes(in: 0..<length) }

    /// Reads the bytes of a range, at the cost of the blocks that it touches.
    ///
    /// A block decodes to 2^*B* bytes at most, 256 KiB unless the writer chose otherwise (specification section 3).
    ///
    /// - Parameter range: the range in bytes, from the start of the body; an empty one reads nothing.
    /// - Returns: the bytes, as many as the range has.
    /// - Throws: `invalidArgument` if the range does not lie inside the body, and as ``bytes()``.
    public func bytes(in range: Range<UInt64>) throws(ArchiveError) -> [UInt8] {
        var bytes: [UInt8] = []
        try forEachBuffer(in: range) { chunk throws(ArchiveError) in
            bytes.append(contentsOf: chunk)
        }
        return bytes
    }

    /// Fills memory of the length of a range with its bytes, which may be used only if this does not throw.
    ///
    /// A block that the range takes as a whole is decoded in its place, without a copy.
    ///
    /// - Throws: as ``bytes(in:)``.
    package func fill(_ target: UnsafeMutableRawBufferPointer, with range: Range<UInt64>) throws(ArchiveError) {
        try check(range)
        precondition(target.count == range.count, "memory as long as the range")
        guard let start, !range.isEmpty else { return }
        try store.fill(target, of: self, from: start, in: range)
    }

    /// Calls `work` with the bytes of a range, one block after another; it allocates memory for one block.
    ///
    /// Blocks that are stored raw in a mapped archive are not copied. A chunk has 1 byte to 1 MiB, and is valid until
    /// `work` returns; an empty range has none.
    ///
    /// - Parameters:
    ///   - range: the range in bytes, from the start of the body; nil, the default, for all of it.
    ///   - work: a function that is called on this thread, in the order of the bytes. Its errors end the iteration.
    /// - Throws: as ``bytes(in:)``, and errors of `work`. Chunks before an error are valid.
    public func forEachChunk(
        in range: Range<UInt64>? = nil, _ work: (RawSpan) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        try forEachBuffer(in: range) { bytes throws(ArchiveError) in try work(bytes.bytes) }
    }

    /// Calls `work` as ``forEachChunk(in:_:)`` does; a buffer is valid until `work` returns.
    package func forEachBuffer(
        in range: Range<UInt64>? = nil, _ work: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let range = range ?? 0..<length
        try check(range)
        guard let start, !range.isEmpty else { return }
        try store.forEachBuffer(of: self, from: start, in: range, work)
    }

    /// The identity of a block that must be decoded, valid as long as its archive is open.
    package struct CodedBlock: Hashable, Sendable {
        fileprivate let store: ObjectIdentifier
        fileprivate let place: RowPlace
    }

    /// Returns a block of a body across several blocks, by its number; nil for any other body, or for a block that is stored raw.
    ///
    /// - Throws: `damaged`.
    package func codedBlock(_ number: UInt64) throws(ArchiveError) -> CodedBlock? {
        guard let start, length > UInt64(blockLength) else { return nil }
        let place = try store.block(number, of: self, from: start)
        guard try store.describe(place).coding != .raw else { return nil }
        return CodedBlock(store: ObjectIdentifier(store), place: place)
    }

    /// Checks that a range is inside the body.
    ///
    /// - Throws: `invalidArgument`.
    func check(_ range: Range<UInt64>) throws(ArchiveError) {
        guard range.upperBound <= length else {
            throw ArchiveError(
                .invalidArgument,
                "the range \(range.lowerBound)..<\(range.upperBound) exceeds the body of \(length) bytes")
        }
    }
}
