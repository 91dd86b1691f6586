// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WebArchive

/// Reads the content of a response piece by piece: a body block by block, each checked before it is handed out.
struct ContentReader {
    private var parts: ArraySlice<ReplayResponse.Part>
    /// How much of the first part has been read.
    private var position: UInt64 = 0

    init(_ parts: [ReplayResponse.Part]) { self.parts = parts[...] }

    /// Whether nothing is left.
    var isAtEnd: Bool { parts.isEmpty }

    /// The next bytes; nil at the end. Throws `damaged`, `truncated`, `unsupportedFeature` or `io`.
    mutating func next(_ allocator: ByteBufferAllocator) throws(ArchiveError) -> ByteBuffer? {
        guard let part = parts.first else { return nil }
        switch part {
        case .bytes(let bytes):
            parts.removeFirst()
            return bytes
        case .body(let body, let range):
            let start = range.lowerBound + position
            // The end of the block in which it starts, so that no block is decoded twice.
            let length = UInt64(body.blockLength)
            let end = min(range.upperBound, (start / length + 1) * length)
            var buffer = allocator.buffer(capacity: Int(end - start))
            try body.forEachChunk(in: start..<end) { chunk throws(ArchiveError) in buffer.writeBytes(chunk) }
            position += end - start
            if end == range.upperBound {
                parts.removeFirst()
                position = 0
            }
            return buffer
        }
    }
}
