// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// A sink that collects the parts of a patch, and writes them to a file in large pieces.
final class PatchSink {
    private let file: FileDescriptor
    private let name: String
    /// The bytes that the system does not have yet.
    private var buffer: [UInt8] = []
    /// The number of bytes so far.
    private(set) var length: UInt64 = 0

    /// The number of bytes from which on the buffer is written.
    private static let bufferLength = 1 << 20

    /// - Parameter name: the name of the file, for errors.
    init(_ file: FileDescriptor, name: String) { (self.file, self.name) = (file, name) }

    /// Appends bytes unchanged.
    func append(_ bytes: some Collection<UInt8>) throws(ArchiveError) {
        buffer += bytes
        length += UInt64(bytes.count)
        if buffer.count >= Self.bufferLength { try flush() }
    }

    /// Appends a number, LEB128.
    func number(_ value: some BinaryInteger) throws(ArchiveError) {
        var bytes: [UInt8] = []
        bytes.appendNumber(UInt64(value))
        try append(bytes)
    }

    /// Appends a frame after its length.
    func frame(_ bytes: [UInt8]) throws(ArchiveError) {
        try number(bytes.count)
        try append(bytes)
    }

    /// Passes the collected bytes to the system, without waiting for the disk. Throws `io`.
    func flush() throws(ArchiveError) {
        do {
            try file.writeAll(buffer)
        } catch {
            throw ArchiveError(.io, "cannot write", path: name, cause: error)
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

extension [UInt8] {
    /// Appends a number, LEB128: seven bits a byte, low ones first.
    mutating func appendNumber(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// Appends a number that may be negative: its sign in the lowest bit.
    mutating func appendSigned(_ value: Int64) { appendNumber(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }
}
