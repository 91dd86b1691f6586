// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import WebArchive

/// A reader of the content of a response, piece by piece: a body block by block, each checked before it is handed out.
package struct ContentReader {
    private var parts: ArraySlice<ReplayResponse.Part>
    private let cache: ReplayCache?
    /// How much of the first part has been read.
    private var position: UInt64 = 0

    package init(_ response: ReplayResponse) {
        parts = response.parts[...]
        cache = response.cache
    }

    /// Whether nothing is left.
    package var isAtEnd: Bool { parts.isEmpty }

    /// The next bytes; nil at the end. Throws `damaged`, `truncated`, `unsupportedFeature` or `io`.
    ///
    /// - Parameter limit: the most bytes; what is cut off by it keeps no longer content in memory.
    package mutating func next(
        _ allocator: ByteBufferAllocator, atMost limit: Int = .max
    ) throws(ArchiveError) -> ByteBuffer? {
        guard let part = parts.first else { return nil }
        switch part {
        case .bytes(let bytes):
            let start = bytes.readerIndex + Int(position)
            let rest = bytes.readableBytes - Int(position)
            guard rest > limit || position > 0 else {
                parts.removeFirst()
                return bytes
            }
            let length = min(rest, limit)
            advance(by: UInt64(length), isLast: length == rest)
            return bytes.getSlice(at: start, length: length).map { Self.copy($0, allocator) }
        case .body(let body, let range):
            let start = range.lowerBound + position
            // The end of the block in which it starts, so that no block is decoded twice.
            let length = UInt64(body.blockLength)
            let blockEnd = min(range.upperBound, (start / length + 1) * length)
            let end = min(blockEnd, start + UInt64(min(limit, Int(length))))
            let buffer = try bytes(of: body, in: start..<end, block: start / length, allocator)
            advance(by: end - start, isLast: end == range.upperBound)
            return end < blockEnd ? Self.copy(buffer, allocator) : buffer
        }
    }

    private mutating func advance(by count: UInt64, isLast: Bool) {
        position += count
        if isLast {
            parts.removeFirst()
            position = 0
        }
    }

    private static func copy(_ bytes: ByteBuffer, _ allocator: ByteBufferAllocator) -> ByteBuffer {
        var copy = allocator.buffer(capacity: bytes.readableBytes)
        copy.writeImmutableBuffer(bytes)
        return copy
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
        var failure: ArchiveError?
        // A whole block is read in its place.
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { memory in
            do throws(ArchiveError) {
                try body.fill(UnsafeMutableRawBufferPointer(rebasing: memory[..<range.count]), with: range)
                return range.count
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        let isWhole =
            range.lowerBound == blockStart && range.count == min(UInt64(body.blockLength), body.length - blockStart)
        if let block, isWhole { cache?[block] = buffer }
        return buffer
    }
}
