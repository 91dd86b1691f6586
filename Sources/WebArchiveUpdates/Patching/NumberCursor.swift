// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A cursor that reads the numbers of a stream of a patch in order; every read is checked against the end.
struct NumberCursor {
    private let bytes: [UInt8]
    /// The offset of the next byte.
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether all bytes were read.
    var isAtEnd: Bool { position == bytes.count }

    /// Reads a number, LEB128.
    ///
    /// - Throws: `damaged` for a number of more than 64 bits, or at the end.
    mutating func number() throws(ArchiveError) -> UInt64 {
        var (value, shift) = (UInt64(0), UInt64(0))
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            guard shift < 63 || byte <= 1 else { break }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .damaged("unterminated number in the patch")
    }

    /// Reads a number of at most `limit`.
    ///
    /// - Throws: `damaged` for a greater one, and as ``number()``.
    mutating func number(atMost limit: Int) throws(ArchiveError) -> Int {
        let value = try number()
        guard value <= UInt64(limit) else { throw .damaged("the value \(value) exceeds the limit \(limit)") }
        return Int(value)
    }

    /// Reads a number that may be negative: its sign is the lowest bit (patch specification section 2).
    mutating func signed() throws(ArchiveError) -> Int64 {
        let value = try number()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// Reads `count` bytes, without a copy.
    ///
    /// - Throws: `damaged` if fewer are left.
    mutating func bytes(_ count: Int) throws(ArchiveError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.count - position else { throw .damaged("the patch ends within a stream") }
        defer { position += count }
        return bytes[position..<position + count]
    }
}
