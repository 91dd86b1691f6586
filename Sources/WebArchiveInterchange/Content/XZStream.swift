// SPDX-License-Identifier: Apache-2.0

import CLZMA
import WebArchive

/// A decoder of streams of the .xz file format (version 1.2), one at a time.
final class XZStream {
    // liblzma keeps the address of the stream, so it stays where it is.
    private let stream: UnsafeMutablePointer<lzma_stream>

    /// The maximum memory of the decoder, in bytes: that of a dictionary of 128 MiB. `xz -9` has one of 64 MiB.
    private static let memoryLimit: UInt64 = 132 << 20

    /// - Throws: `limitExceeded` without memory.
    init() throws(ArchiveError) {
        stream = .allocate(capacity: 1)
        // The same as the macro LZMA_STREAM_INIT.
        stream.initialize(to: lzma_stream())
        guard lzma_stream_decoder(stream, Self.memoryLimit, 0) == LZMA_OK else {
            stream.deallocate()
            throw ArchiveError(.limitExceeded, "no memory for decoding xz")
        }
    }

    deinit {
        lzma_end(stream)
        stream.deallocate()
    }

    /// Begins a new stream. Without memory for it, the first step fails.
    func reset() { _ = lzma_stream_decoder(stream, Self.memoryLimit, 0) }

    /// Decodes as much as the input has and the output takes, up to the end of the stream.
    ///
    /// - Throws: `damaged`, also for a dictionary that takes more memory than allowed.
    func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) -> DecodingStep {
        // liblzma reads and writes only within these bytes, and only during the call.
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = input.count
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = output.count
        let result = lzma_code(stream, LZMA_RUN)
        // LZMA_BUF_ERROR: neither input nor room was left.
        guard result == LZMA_OK || result == LZMA_STREAM_END || result == LZMA_BUF_ERROR else {
            throw .damaged("the xz stream cannot be decoded")
        }
        return DecodingStep(
            consumed: input.count - stream.pointee.avail_in, produced: output.count - stream.pointee.avail_out,
            isAtEnd: result == LZMA_STREAM_END)
    }
}
