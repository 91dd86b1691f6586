// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A writer of a JSON text (RFC 8259), of which only the last bytes are in memory.
final class JSONOutput {
    private let sink: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    private var buffer: [UInt8] = []
    /// Whether the next value is the first one of its container.
    private var isFirst = true

    private static let bufferLength = 1 << 16

    init(_ sink: @escaping (UnsafeRawBufferPointer) throws(ArchiveError) -> Void) { self.sink = sink }

    /// Passes on all bytes.
    func finish() throws(ArchiveError) {
        buffer.append(0x0A)
        try flush()
    }

    private func flush() throws(ArchiveError) {
        try buffer.withBytes(sink)
        buffer.removeAll(keepingCapacity: true)
    }

    // MARK: - Containers

    func beginObject() { begin(UInt8(ascii: "{")) }
    func beginArray() { begin(UInt8(ascii: "[")) }
    func endObject() { end(UInt8(ascii: "}")) }
    func endArray() { end(UInt8(ascii: "]")) }

    private func begin(_ mark: UInt8) {
        buffer.append(mark)
        isFirst = true
    }

    private func end(_ mark: UInt8) {
        buffer.append(mark)
        isFirst = false
    }

    /// Begins the next item of an array, in a line of its own.
    func item() {
        if !isFirst { buffer.append(UInt8(ascii: ",")) }
        buffer.append(0x0A)
    }

    /// Begins the next member of an object; its value follows.
    func member(_ name: String) throws(ArchiveError) {
        if !isFirst { buffer.append(UInt8(ascii: ",")) }
        isFirst = false
        buffer += JSONValue.string(name).line.utf8
        buffer.append(UInt8(ascii: ":"))
    }

    /// Writes a member with its value.
    func member(_ name: String, _ value: JSONValue) throws(ArchiveError) {
        try member(name)
        try value.forEachPiece { piece throws(ArchiveError) in
            buffer += piece
            if buffer.count >= Self.bufferLength { try flush() }
        }
    }

    // MARK: - Long strings

    /// Writes a member that is a string of UTF-8.
    ///
    /// - Parameter read: a function that calls another one with all bytes, which are valid UTF-8.
    func member(
        _ name: String,
        text read: ((UnsafeRawBufferPointer) throws(ArchiveError) -> Void) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        try string(name) { () throws(ArchiveError) in
            try read { bytes throws(ArchiveError) in
                for byte in bytes {
                    switch byte {
                    case UInt8(ascii: "\""), UInt8(ascii: "\\"): buffer += [UInt8(ascii: "\\"), byte]
                    case 0x0A: buffer += "\\n".utf8
                    case ..<0x20, 0x7F: buffer += "\\u00\([byte].hexadecimalDigits)".utf8
                    default: buffer.append(byte)
                    }
                    if buffer.count >= Self.bufferLength { try flush() }
                }
            }
        }
    }

    /// Writes a member that is the Base64 of bytes (RFC 4648 section 4).
    func member(
        _ name: String,
        base64 read: ((UnsafeRawBufferPointer) throws(ArchiveError) -> Void) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let alphabet = Base64Decoder.alphabet
        try string(name) { () throws(ArchiveError) in
            var (bits, count) = (0, 0)
            func emit(_ digits: Int) {
                for place in 0..<4 {
                    buffer.append(place < digits ? alphabet[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
                }
                (bits, count) = (0, 0)
            }
            try read { bytes throws(ArchiveError) in
                for byte in bytes {
                    (bits, count) = (bits << 8 | Int(byte), count + 1)
                    guard count == 3 else { continue }
                    emit(4)
                    if buffer.count >= Self.bufferLength { try flush() }
                }
            }
            if count > 0 {
                bits <<= 8 * (3 - count)
                emit(count + 1)
            }
        }
    }

    private func string(_ name: String, _ write: () throws(ArchiveError) -> Void) throws(ArchiveError) {
        try member(name)
        buffer.append(UInt8(ascii: "\""))
        try write()
        buffer.append(UInt8(ascii: "\""))
    }
}
