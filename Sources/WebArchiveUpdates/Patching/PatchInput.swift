// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A cursor over the file of a patch, read in large pieces. Every read is checked against the end.
struct PatchInput {
    private let source: any ByteSource
    /// The offset in the file of the next byte.
    private var position: UInt64
    /// Bytes that were read ahead.
    private var buffer: [UInt8] = []
    /// The offset in the file of the first byte of the buffer.
    private var start: UInt64

    /// The number of bytes that are read at once. Longer parts are read without the buffer.
    private static let bufferLength = 256 << 10

    /// Begins at an offset of the file.
    init(_ source: any ByteSource, at position: UInt64) {
        (self.source, self.position, start) = (source, position, position)
    }

    /// Whether the file ends here.
    var isAtEnd: Bool { position == source.length }

    /// The number of remaining bytes.
    var remaining: UInt64 { source.length - position }

    /// Reads `count` bytes.
    ///
    /// - Throws: `truncated` if fewer are left.
    mutating func bytes(_ count: Int) throws(ArchiveError) -> [UInt8] {
        guard count >= 0, UInt64(count) <= remaining else {
            throw ArchiveError(
                .truncated, "the patch is truncated", path: source.name, offset: source.length)
        }
        defer { position += UInt64(count) }
        if count > Self.bufferLength { return try source.bytes(at: position, count: count) }
        if position < start || position + UInt64(count) > start + UInt64(buffer.count) {
            start = position
            buffer = try source.bytes(at: position, count: Int(min(UInt64(Self.bufferLength), remaining)))
        }
        let first = Int(position - start)
        return Array(buffer[first..<first + count])
    }

    /// Reads a number, LEB128, of at most `limit`.
    ///
    /// - Throws: `damaged` for a greater one, and for one of more than 64 bits; `truncated`.
    mutating func number(atMost limit: UInt64) throws(ArchiveError) -> UInt64 {
        var bytes: [UInt8] = []
        repeat { bytes += try self.bytes(1) } while bytes.last ?? 0 >= 0x80 && bytes.count < 10
        var cursor = NumberCursor(bytes)
        let value = try cursor.number()
        guard value <= limit else {
            throw ArchiveError(
                .damaged, "the value \(value) exceeds the limit \(limit)", path: source.name, offset: position)
        }
        return value
    }

    /// Reads a frame after its length, which is at most 1 GiB and at most the rest of the patch.
    mutating func frame() throws(ArchiveError) -> [UInt8] { try bytes(Int(number(atMost: min(remaining, 1 << 30)))) }
}
