// SPDX-License-Identifier: Apache-2.0

import CBrotli
import WebArchive

/// A decoder of the content coding `br` (RFC 7932).
final class BrotliDecoder: ContentDecoder {
    private let state: OpaquePointer
    private var output = [UInt8](repeating: 0, count: 1 << 16)
    private var isAtEnd = false

    // Many texts begin with a byte that is a whole stream without contents.
    private static let notBrotli = ArchiveError.damaged("the brotli stream cannot be decoded, or bytes follow it")

    init() throws(ArchiveError) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else {
            throw ArchiveError(.limitExceeded, "no memory for decoding brotli")
        }
        self.state = state
    }

    deinit { BrotliDecoderDestroyInstance(state) }

    func decode(
        _ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        guard !isAtEnd else { throw Self.notBrotli }
        let state = state
        var result = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT
        var (left, next) = (bytes.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        while result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT {
            // The decoder reads `left` bytes at `next` at most, and writes `room` bytes at most.
            result = try output.withMutableBytes { (output) throws(ArchiveError) in
                var (room, target) = (output.count, output.baseAddress?.assumingMemoryBound(to: UInt8.self))
                let result = BrotliDecoderDecompressStream(state, &left, &next, &room, &target, nil)
                try emit(UnsafeRawBufferPointer(rebasing: output[..<(output.count - room)]))
                return result
            }
        }
        switch result {
        case BROTLI_DECODER_RESULT_SUCCESS where left == 0: isAtEnd = true
        case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: break
        default: throw Self.notBrotli
        }
    }

    func finish() throws(ArchiveError) {
        guard isAtEnd else { throw ArchiveError(.truncated, "the brotli stream is cut off") }
    }
}
