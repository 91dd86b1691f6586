// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WebArchive

extension ByteBuffer {
    /// Writes fields, one line each (RFC 9112 section 5).
    mutating func write(_ fields: HeaderFields) {
        for field in fields {
            writeBytes(field.nameBytes)
            writeStaticString(": ")
            writeBytes(field.valueBytes)
            writeStaticString("\r\n")
        }
    }

    /// Returns the line with the size of a chunk (RFC 9112 section 7.1).
    static func chunkStart(_ length: Int, _ allocator: ByteBufferAllocator) -> ByteBuffer {
        var bytes = allocator.buffer(capacity: 20)
        bytes.writeString(String(length, radix: 16))
        bytes.writeStaticString("\r\n")
        return bytes
    }
}

extension SpooledBody {
    /// Adds the bytes of a buffer.
    ///
    /// - Throws: as ``append(_:)-(UnsafeRawBufferPointer)``.
    func append(_ bytes: ByteBuffer) throws(ArchiveError) {
        try bytes.readableBytesSpan.withUnsafeBytes { (bytes) throws(ArchiveError) in try append(bytes) }
    }
}
