// SPDX-License-Identifier: Apache-2.0

/// A cursor that reads little-endian values one after another; every read is checked against the end.
///
/// All structures that a reader parses (header, footer, section table, class table) go through it.
package struct ByteCursor {
    private let bytes: [UInt8]
    private var position = 0
    /// The offset of the bytes in the file, for errors.
    private let fileOffset: UInt64

    /// Creates a cursor at the first byte.
    ///
    /// - Parameter fileOffset: the file offset of the first byte, in bytes from the start of the file.
    package init(_ bytes: [UInt8], at fileOffset: UInt64) {
        self.bytes = bytes
        self.fileOffset = fileOffset
    }

    /// The file offset of the next byte.
    package var offset: UInt64 { fileOffset + UInt64(position) }

    /// Whether all bytes were read.
    package var isAtEnd: Bool { position == bytes.count }

    /// Reads `count` bytes.
    ///
    /// - Throws: `damaged` if fewer are left, or the number is negative.
    package mutating func bytes(_ count: Int) throws(ArchiveError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.count - position else {
            throw .damaged("a structure is truncated", offset: offset)
        }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// Reads a little-endian integer of the type's width.
    ///
    /// - Throws: `damaged` if fewer bytes are left.
    package mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(ArchiveError) -> Value {
        var value: Value = 0
        for byte in try bytes(MemoryLayout<Value>.size).reversed() {
            value = value << 8 | Value(truncatingIfNeeded: byte)
        }
        return value
    }

    /// Skips `count` bytes, usually reserved ones.
    ///
    /// - Throws: `damaged` if fewer are left.
    package mutating func skip(_ count: Int) throws(ArchiveError) { _ = try bytes(count) }

    /// Reads a length byte and as many printable ASCII characters: the name of a class or a key (specification section
    /// 6.1).
    ///
    /// - Throws: `damaged` for a length outside 1 to 63, or a byte outside 0x21 to 0x7E.
    package mutating func name() throws(ArchiveError) -> String {
        let start = offset
        let length = Int(try integer(UInt8.self))
        guard (1...FormatLimits.maximumNameLength).contains(length) else {
            throw .damaged("invalid name length \(length)", offset: start)
        }
        let text = try bytes(length)
        guard text.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .damaged("a name is not ASCII", offset: start)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
