// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import WebArchive

/// A reader of the content of a response, piece by piece: a body block by block, each checked before it is returned.
///
/// A value for one connection; copies continue from where the original is, each for itself.
package struct ContentReader {
    /// The parts that are not read to their end, the present one first.
    private var parts: ArraySlice<ReplayResponse.Part>
    /// The cache for decoded blocks; nil to keep none.
    private let cache: ReplayCache?
    /// The whole body of the parts, if it is in memory.
    private var memory: ByteBuffer?
    /// The number of bytes of the first part that have been read.
    private var position: UInt64 = 0

    /// Creates a reader at the start of the content. It reads nothing yet.
    ///
    /// - Parameter response: the response; its content is shared, and not copied.
    package init(_ response: ReplayResponse) {
        parts = response.parts[...]
        (cache, memory) = (response.cache, response.bodyInMemory)
    }

    /// Releases a body in memory: the rest of it is read block by block.
    ///
    /// Call it for a response that waits for its client, since the cache may lose the body meanwhile.
    package mutating func releaseMemory() { memory = nil }

    /// Whether nothing is left.
    ///
    /// It is true at once for HEAD, and for a status without content.
    package var isAtEnd: Bool { parts.isEmpty }

    /// Reads the next bytes: a part in memory, or of a body at most one block, which decodes to at most 1 MiB.
    ///
    /// After an error the reader stays at its position.
    ///
    /// - Parameters:
    ///   - allocator: the allocator of the channel that the bytes are for.
    ///   - limit: the maximum number of bytes; a part that is cut off by it keeps no longer content in memory.
    /// - Returns: the bytes; nil at the end.
    /// - Throws: `damaged`, `truncated`, `unsupportedFeature` or `io`.
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
            if let memory {
                let length = min(UInt64(limit), range.upperBound - start)
                let slice = memory.getSlice(at: memory.readerIndex + Int(start), length: Int(length))
                let isWhole = Int(length) == memory.readableBytes
                advance(by: length, isLast: start + length == range.upperBound)
                return isWhole ? slice : slice.map { Self.copy($0, allocator) }
            }
            // The end of the block in which it starts, so that no block is decoded twice.
            let length = UInt64(body.blockLength)
            let blockEnd = min(range.upperBound, (start / length + 1) * length)
            let end = min(blockEnd, start + UInt64(min(limit, Int(length))))
            let buffer = try bytes(of: body, in: start..<end, block: start / length, allocator)
            advance(by: end - start, isLast: end == range.upperBound)
            return buffer
        }
    }

    /// Advances in the present part.
    ///
    /// - Parameters:
    ///   - count: the number of bytes that were read.
    ///   - isLast: whether the part is read to its end, so that the next one begins.
    private mutating func advance(by count: UInt64, isLast: Bool) {
        position += count
        if isLast {
            parts.removeFirst()
            position = 0
        }
    }

    /// Returns a copy that does not keep a longer buffer in memory.
    private static func copy(_ bytes: ByteBuffer, _ allocator: ByteBufferAllocator) -> ByteBuffer {
        var copy = allocator.buffer(capacity: bytes.readableBytes)
        copy.writeImmutableBuffer(bytes)
        return copy
    }

    /// Returns the bytes of a range that is inside one block.
    ///
    /// A block that needs decoding is decoded as a whole and kept, for any requested part of it: a few bytes cost the same, and
    /// clients request the next ones.
    ///
    /// - Parameters:
    ///   - range: the range in bytes from the start of the body, not empty.
    ///   - number: the number of the block in the body, from 0.
    /// - Throws: `damaged`, `truncated`, `unsupportedFeature` or `io`.
    private func bytes(
        of body: ArchiveBody, in range: Range<UInt64>, block number: UInt64, _ allocator: ByteBufferAllocator
    ) throws(ArchiveError) -> ByteBuffer {
        guard let cache, let block = try body.codedBlock(number) else { return try Self.read(body, range, allocator) }
        let start = number * UInt64(body.blockLength)
        let whole: ByteBuffer
        if let known = cache[block] {
            whole = known
        } else {
            whole = try Self.read(body, start..<min(start + UInt64(body.blockLength), body.length), allocator)
            cache[block] = whole
        }
        guard range.count < whole.readableBytes else { return whole }
        let part = whole.getSlice(at: whole.readerIndex + Int(range.lowerBound - start), length: range.count)
        return part.map { Self.copy($0, allocator) } ?? ByteBuffer()
    }

    /// Decodes a range into memory of the allocator, without a copy in between.
    ///
    /// - Throws: as ``next(_:atMost:)``; nothing is returned of a range with an error.
    private static func read(
        _ body: ArchiveBody, _ range: Range<UInt64>, _ allocator: ByteBufferAllocator
    ) throws(ArchiveError) -> ByteBuffer {
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
        return buffer
    }
}
