// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A worker that compresses blocks; one for each thread.
final class BlockWorker {
    /// A compressed block.
    struct Output: Sendable {
        let job: CompressionJob
        /// The bytes as they are written, compressed or not.
        let stored: BodySlice
        /// The CRC of the stored bytes, `Block.checksum` (specification section 5).
        let checksum: UInt32
        /// Whether the coding is LZ4 (1) and not raw (0).
        let isCompressed: Bool
        /// The dictionary against which the block was compressed, which is stored with the archive; nil for none.
        let dictionary: SharedDictionary.Contents?
    }

    private let compressor: BlockCompressor
    /// All dictionaries of the archive by number, which the jobs name.
    private let dictionaries: [SharedDictionary]
    /// The earlier edition whose stored blocks are copied; nil without one.
    private let earlier: StoredArchive?
    /// The memory for one stored block, used again for each.
    private let output: SharedBuffer

    /// - Parameter earlier: the edition whose blocks are kept.
    init(level: CompressionLevel, dictionaries: [SharedDictionary], earlier: StoredArchive?, blockLength: Int) {
        compressor = BlockCompressor(level: level)
        self.dictionaries = dictionaries
        self.earlier = earlier
        output = SharedBuffer(max(blockLength, CommitBuilder.groupLength))
    }

    /// Compresses a block, unless the earlier edition has it. One that hardly shrinks is stored raw (specification section 5, coding 0).
    ///
    /// The result is a copy: the worker's own memory is used for the next block.
    ///
    /// - Throws: `changed` for a file whose bytes are not those that were hashed, though its time is the same; `io`; `damaged` for the
    ///   earlier edition.
    func run(_ job: CompressionJob) throws(ArchiveError) -> Output {
        let bytes = try gather(job)
        if let known = try earlierOutput(job, bytes) { return known }
        let dictionary = job.dictionary < 0 ? nil : try dictionaries[Int(job.dictionary)].contents()
        let room = UnsafeMutableRawBufferPointer(
            rebasing: output.bytes[..<CommitBuilder.storedLimit(job.length)])
        let length = compressor.compress(bytes, dictionary: dictionary?.prepared, into: room)
        let stored = keep(length.map { UnsafeRawBufferPointer(rebasing: room[..<$0]) } ?? bytes)
        return Output(
            job: job, stored: stored, checksum: Checksum.of(stored.bytes), isCompressed: length != nil,
            dictionary: length == nil ? nil : dictionary)
    }

    /// Returns the block as stored in the earlier edition; nil if it differs there, or has a dictionary that is not kept.
    private func earlierOutput(
        _ job: CompressionJob, _ bytes: UnsafeRawBufferPointer
    ) throws(ArchiveError) -> Output? {
        guard let earlier, let row = job.earlierBlock, row < earlier.blockCount else { return nil }
        let block = try earlier.block(row)
        guard Int(block.length) == job.length else { return nil }
        var dictionary: SharedDictionary?
        if let number = block.dictionary {
            guard job.dictionary >= 0 else { return nil }
            dictionary = dictionaries[Int(job.dictionary)]
            guard dictionary?.earlierRow == number else { return nil }
        }
        guard try earlier.decodedBytes(row).withBytes({ MemoryBody(bytes: bytes).equals($0, at: 0) }) else {
            return nil
        }
        let stored = try earlier.storedBytes(row).withBytes { keep($0) }
        return Output(
            job: job, stored: stored, checksum: block.checksum, isCompressed: block.coding == .lz4,
            dictionary: try dictionary?.contents())
    }

    /// Returns the bytes of the block in one piece.
    private func gather(_ job: CompressionJob) throws(ArchiveError) -> UnsafeRawBufferPointer {
        let target = compressor.room(job.length)
        switch job.source {
        case .memory(let slices) where slices.count == 1:
            return slices[0].bytes
        case .memory(let slices):
            var position = 0
            for slice in slices {
                UnsafeMutableRawBufferPointer(rebasing: target[position...]).copyMemory(from: slice.bytes)
                position += slice.count
            }
        case .file(let file, let offset, let checksum):
            try file.read(at: offset, into: target)
            try file.checkUnchanged()
            guard Checksum.of(UnsafeRawBufferPointer(target)) == checksum else { throw file.changed() }
        }
        return UnsafeRawBufferPointer(target)
    }

    /// Copies bytes of the worker's memory, or of the earlier edition, into memory of their own.
    private func keep(_ bytes: UnsafeRawBufferPointer) -> BodySlice {
        let buffer = SharedBuffer(bytes.count)
        buffer.bytes.copyMemory(from: bytes)
        return BodySlice(buffer: buffer, range: 0..<bytes.count)
    }
}
