// SPDX-License-Identifier: Apache-2.0

/// The stored bytes of consecutively copied blocks, read in large pieces.
struct StoredRun {
    private let archive: StoredArchive
    private var bytes: [UInt8] = []
    /// The offset of the first of these bytes in the file.
    private var start: UInt64 = 0

    /// The number of bytes that are read at once.
    private static let length: UInt64 = 1 << 20

    init(_ archive: StoredArchive) { self.archive = archive }

    /// Calls `work` with the stored and checked bytes of a block, which are valid until it returns.
    ///
    /// - Parameters:
    ///   - number: the row of the block.
    ///   - readsAhead: whether the next blocks are likely to be needed soon.
    /// - Throws: `damaged` if they do not match their checksum, `untrusted`, `truncated`, `io`, and errors of `work`.
    mutating func withBytes<Value>(
        of number: Int, _ block: StoredArchive.Block, readsAhead: Bool,
        _ work: (UnsafeRawBufferPointer) throws(ArchiveError) -> Value
    ) throws(ArchiveError) -> Value {
        let extent = block.stored
        if extent.offset < start || extent.end > start + UInt64(bytes.count) {
            let rest = archive.committedLength - extent.offset
            let count = readsAhead ? max(extent.length, min(Self.length, rest)) : extent.length
            bytes = try archive.source.bytes(at: extent.offset, count: Int(count))
            start = extent.offset
        }
        let first = Int(extent.offset - start)
        let archive = archive
        return try bytes.withBytes { (bytes) throws(ArchiveError) in
            let stored = UnsafeRawBufferPointer(rebasing: bytes[first..<first + Int(extent.length)])
            try archive.check(stored, ofBlock: number)
            return try work(stored)
        }
    }
}
