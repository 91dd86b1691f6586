// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A block in its stored form, which any thread can make.
struct CompressedBlock: Sendable {
    /// The compressed bytes; nil if the block is stored raw.
    private let compressed: [UInt8]?
    private let bytes: [UInt8]
    private let dictionary: UInt32
    private let checksum: UInt32

    /// Compresses a block. One that hardly shrinks is stored raw (specification section 5, coding 0).
    init(_ bytes: [UInt8], _ dictionary: CompressionQueue.Dictionary?, _ compressor: BlockCompressor) {
        let limit = CommitBuilder.storedLimit(bytes.count)
        var isCompressed = false
        let stored = [UInt8](unsafeUninitializedCapacity: max(0, limit)) { room, count in
            let length = bytes.withUnsafeBytes { bytes in
                compressor.compress(
                    bytes, dictionary: dictionary?.prepared, into: UnsafeMutableRawBufferPointer(room))
            }
            (count, isCompressed) = (length ?? 0, length != nil)
        }
        self.bytes = bytes
        compressed = isCompressed ? stored : nil
        self.dictionary = isCompressed ? dictionary?.number ?? 0 : 0
        checksum = (isCompressed ? stored : bytes).withUnsafeBytes { Checksum.of($0) }
    }

    /// Appends the block, and returns its number in the commit.
    func append(to builder: CommitBuilder) throws(ArchiveError) -> UInt32 {
        try (compressed ?? bytes).withBytes { (stored) throws(ArchiveError) in
            try builder.appendBlock(
                stored, length: bytes.count, isCompressed: compressed != nil, dictionary: dictionary,
                checksum: checksum)
        }
    }
}
