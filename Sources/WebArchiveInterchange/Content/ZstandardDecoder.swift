// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A decoder of the content coding `zstd` (RFC 8878). Windows of more than 8 MiB are refused (RFC 9659).
final class ZstandardDecoder: ContentDecoder {
    private let stream: ZstandardStream
    private var output = [UInt8](repeating: 0, count: 1 << 17)
    private var isAtEnd = false

    init() throws(ArchiveError) { stream = try ZstandardStream(windowLog: 23) }

    func decode(
        _ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let stream = stream
        var rest = bytes
        var isFull = false
        while !rest.isEmpty || isFull {
            let input = rest
            let (step, length) = try output.withMutableBytes { (output) throws(ArchiveError) in
                let step = try stream.step(input, into: output)
                try emit(UnsafeRawBufferPointer(rebasing: output[..<step.produced]))
                return (step, output.count)
            }
            isAtEnd = step.isAtEnd
            isFull = !isAtEnd && step.produced == length
            rest = UnsafeRawBufferPointer(rebasing: rest[step.consumed...])
        }
    }

    func finish() throws(ArchiveError) {
        guard isAtEnd else { throw ArchiveError(.truncated, "the zstd frame is cut off") }
    }
}
