// SPDX-License-Identifier: Apache-2.0

import CZstd
import WebArchive

/// A decoder of Zstandard frames (RFC 8878), one at a time.
final class ZstandardStream {
    private let stream: OpaquePointer
    private var dictionary: OpaquePointer?

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - windowLog: the base-2 logarithm of the longest window that is accepted, which takes as much memory.
    ///   - dictionary: the dictionary of the frames; nil for none.
    /// - Throws: `limitExceeded` without memory; `damaged` for a dictionary that is none.
    init(windowLog: Int32, dictionary: [UInt8]? = nil) throws(ArchiveError) {
        guard let stream = ZSTD_createDStream() else {
            throw ArchiveError(.limitExceeded, "no memory for decoding zstd")
        }
        self.stream = stream
        ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, windowLog)
        guard let dictionary else { return }
        // The decoder has a copy of the bytes.
        self.dictionary = try dictionary.withBytes { (bytes) throws(ArchiveError) in
            ZSTD_createDDict(bytes.baseAddress, bytes.count)
        }
        guard self.dictionary != nil, ZSTD_isError(ZSTD_DCtx_refDDict(stream, self.dictionary)) == 0 else {
            throw .damaged("the dictionary of zstd cannot be used")
        }
    }

    deinit {
        ZSTD_freeDStream(stream)
        ZSTD_freeDDict(dictionary)
    }

    /// Begins a new frame. The dictionary stays.
    func reset() { ZSTD_DCtx_reset(stream, ZSTD_reset_session_only) }

    /// Decodes as much as the input has and the output takes, up to the end of the frame.
    ///
    /// - Throws: `damaged`.
    func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) -> DecodingStep {
        // The decoder reads and writes only within these bytes, and only during the call.
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let result = ZSTD_decompressStream(stream, &target, &source)
        guard ZSTD_isError(result) == 0 else { throw .damaged("the zstd frame cannot be decoded") }
        return DecodingStep(consumed: source.pos, produced: target.pos, isAtEnd: result == 0)
    }
}
