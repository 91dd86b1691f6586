// SPDX-License-Identifier: Apache-2.0

import CZlib
import WebArchive

/// A decoder of one deflate stream, in the form of gzip (RFC 1952), zlib (RFC 1950) or without either (RFC 1951).
final class Inflater {
    /// The form of the stream.
    enum Form {
        /// The stream begins with the header of gzip or zlib.
        case wrapped
        /// The stream has no header.
        case raw
    }

    // zlib keeps the address of the stream, so it stays where it is.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Throws: `limitExceeded` without memory.
    init(_ form: Form) throws(ArchiveError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let result = form == .wrapped ? webarchive_inflate_begin(stream) : webarchive_inflate_begin_raw(stream)
        guard result == Z_OK else {
            stream.deallocate()
            throw ArchiveError(.limitExceeded, "no memory for decoding deflate")
        }
        self.stream = stream
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Begins a new stream.
    func reset() { inflateReset(stream) }

    /// Decodes as much as the input has and the output takes.
    ///
    /// - Throws: `damaged`.
    func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) -> DecodingStep {
        // zlib reads and writes only within these bytes, and only during the call.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(clamping: input.count)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(clamping: output.count)
        let result = inflate(stream, Z_NO_FLUSH)
        let step = DecodingStep(
            consumed: min(input.count, Int(UInt32.max)) - Int(stream.pointee.avail_in),
            produced: min(output.count, Int(UInt32.max)) - Int(stream.pointee.avail_out),
            isAtEnd: result == Z_STREAM_END)
        // Z_BUF_ERROR: neither input nor room was left.
        guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else {
            throw .damaged("the deflate stream cannot be decoded")
        }
        return step
    }
}
