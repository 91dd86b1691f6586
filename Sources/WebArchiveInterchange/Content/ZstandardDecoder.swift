// SPDX-License-Identifier: Apache-2.0

import CZstd
import WebArchive

/// A decoder of the content coding `zstd` (RFC 8878). Windows of more than 8 MiB are refused (RFC 9659).
final class ZstandardDecoder: ContentDecoder {
    private let stream: OpaquePointer
    private var output = [UInt8](repeating: 0, count: 1 << 17)
    private var isAtEnd = false

    init() throws(ArchiveError) {
        guard let stream = ZSTD_createDStream() else {
            throw ArchiveError(.limitExceeded, "no memory for decoding zstd")
        }
        self.stream = stream
        ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 23)
    }

    deinit { ZSTD_freeDStream(stream) }

    func decode(
        _ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let stream = stream
        var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        var isFull = false
        while input.pos < input.size || isFull {
            // The decoder writes within the output only, and reads within the input.
            (isAtEnd, isFull) = try output.withMutableBytes { (output) throws(ArchiveError) in
                var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
                let result = ZSTD_decompressStream(stream, &target, &input)
                guard ZSTD_isError(result) == 0 else { throw .damaged("the zstd frame cannot be decoded") }
                try emit(UnsafeRawBufferPointer(rebasing: output[..<target.pos]))
                return (result == 0, result != 0 && target.pos == target.size)
            }
        }
    }

    func finish() throws(ArchiveError) {
        guard isAtEnd else { throw ArchiveError(.truncated, "the zstd frame is cut off") }
    }
}
