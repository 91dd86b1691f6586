// SPDX-License-Identifier: Apache-2.0

import CLZ4
import WebArchive

/// A decoder of LZ4 frames (LZ4 frame format, version 1.6), one at a time.
final class LZ4FrameStream {
    private let context: OpaquePointer

    /// - Throws: `limitExceeded` without memory.
    init() throws(ArchiveError) {
        var context: OpaquePointer?
        guard LZ4F_isError(LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))) == 0, let context else {
            throw ArchiveError(.limitExceeded, "no memory for decoding LZ4")
        }
        self.context = context
    }

    deinit { LZ4F_freeDecompressionContext(context) }

    /// Begins a new frame.
    func reset() { LZ4F_resetDecompressionContext(context) }

    /// Decodes as much as the input has and the output takes, up to the end of the frame.
    ///
    /// - Throws: `damaged`.
    func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) -> DecodingStep {
        // The decoder reads and writes only within these bytes, and only during the call.
        var (consumed, produced) = (input.count, output.count)
        let result = LZ4F_decompress(context, output.baseAddress, &produced, input.baseAddress, &consumed, nil)
        guard LZ4F_isError(result) == 0 else { throw .damaged("the LZ4 frame cannot be decoded") }
        return DecodingStep(consumed: consumed, produced: produced, isAtEnd: result == 0)
    }
}
