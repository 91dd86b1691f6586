// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A worker that compresses blocks; one for each thread.
final class BlockWorker {
    /// A block that has been compressed.
    struct Output: Sendable {
        let job: CompressionJob
        let stored: BodySlice
        let checksum: UInt32
        let isCompressed: Bool
        /// The dictionary that was used.
        let dictionary: SharedDictionary.Contents?
    }

    private let compressor: BlockCompressor
    private let dictionaries: [SharedDictionary]
    private let output: SharedBuffer

    init(level: CompressionLevel, dictionaries: [SharedDictionary], blockLength: Int) {
        compressor = BlockCompressor(level: level)
        self.dictionaries = dictionaries
        output = SharedBuffer(max(blockLength, CommitBuilder.groupLength))
    }

    /// Compresses a block. One that hardly gets shorter is kept raw (specification section 5, coding 0).
    ///
    /// The result is a copy: the worker's own memory is used for the next block.
    ///
    /// - Throws: `changed` for a file whose bytes are not those that were hashed, though its time is the same; `io`.
    func run(_ job: CompressionJob) throws(ArchiveError) -> Output {
        let bytes = try gather(job)
        let dictionary = job.scope < 0 ? nil : try dictionaries[Int(job.scope)].contents()
        let room = UnsafeMutableRawBufferPointer(
            rebasing: output.bytes[..<CommitBuilder.storedLimit(job.length)])
        let length = compressor.compress(bytes, dictionary: dictionary?.prepared, into: room)
        let stored = keep(length.map { UnsafeRawBufferPointer(rebasing: room[..<$0]) } ?? bytes)
        return Output(
            job: job, stored: stored, checksum: Checksum.of(stored.bytes), isCompressed: length != nil,
            dictionary: length == nil ? nil : dictionary)
    }

    /// The bytes of the block in one piece.
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

    private func keep(_ bytes: UnsafeRawBufferPointer) -> BodySlice {
        let buffer = SharedBuffer(bytes.count)
        buffer.bytes.copyMemory(from: bytes)
        return BodySlice(buffer: buffer, range: 0..<bytes.count)
    }
}
