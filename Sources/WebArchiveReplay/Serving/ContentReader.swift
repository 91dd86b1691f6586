// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WebArchive

/// Reads the content of a response piece by piece: a body block by block, each checked before it is handed out.
struct ContentReader {
    private var parts: ArraySlice<ReplayResponse.Part>
    private let cache: ReplayCache?
    /// How much of the first part has been read.
    private var position: UInt64 = 0

    init(_ response: ReplayResponse) {
        parts = response.parts[...]
        cache = response.cache
    }

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
            let buffer = try bytes(of: body, in: start..<end, block: start / length, allocator)
            position += end - start
            if end == range.upperBound {
                parts.removeFirst()
                position = 0
            }
            return buffer
        }
    }

    /// The bytes of a range that lies inside one block.
    private func bytes(
        of body: ArchiveBody, in range: Range<UInt64>, block number: UInt64, _ allocator: ByteBufferAllocator
    ) throws(ArchiveError) -> ByteBuffer {
        let block = try cache == nil ? nil : body.codedBlock(number)
        let blockStart = number * UInt64(body.blockLength)
        if let block, let whole = cache?[block],
            let part = whole.getSlice(at: Int(range.lowerBound - blockStart), length: range.count)
        {
            return part
        }
        var buffer = allocator.buffer(capacity: range.count)
        try body.forEachChunk(in: range) { chunk throws(ArchiveError) in buffer.writeBytes(chunk) }
        let isWhole =
            range.lowerBound == blockStart && range.count == min(UInt64(body.blockLength), body.length - blockStart)
        if let block, isWhole { cache?[block] = buffer }
        return buffer
    }
}
