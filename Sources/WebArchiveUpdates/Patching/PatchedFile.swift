// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// A sequential output to an open file, up to its stated length.
final class PatchedFile {
    private let file: FileDescriptor
    /// The path of the file for errors of writing.
    private let path: FilePath
    /// The name of its contents for errors of reading.
    private let name: FilePath
    /// The maximum length of the file, in bytes.
    private let limit: UInt64
    /// The bytes that the system does not have yet.
    private var buffer: [UInt8] = []
    /// The number of bytes that it has.
    private var flushed: UInt64 = 0

    /// The number of bytes from which on the buffer is written.
    private static let bufferLength = 1 << 20

    /// - Parameters:
    ///   - file: the empty file, which is open for reading as well.
    ///   - limit: the maximum length of the file.
    init(_ file: FileDescriptor, path: FilePath, name: FilePath, limit: UInt64) {
        (self.file, self.path, self.name, self.limit) = (file, path, name, limit)
    }

    /// Returns a source of the bytes that were passed to the system so far.
    func contents() throws(ArchiveError) -> FileByteSource { try FileByteSource(of: file, name: name) }

    /// The number of bytes so far.
    var length: UInt64 { flushed + UInt64(buffer.count) }

    /// Appends bytes.
    ///
    /// - Throws: `damaged` for more bytes than the file may have; `io`.
    func append(_ bytes: [UInt8]) throws(ArchiveError) {
        guard UInt64(bytes.count) <= limit - length else {
            throw .damaged("the patch produces more than the \(limit) bytes that its header states")
        }
        buffer += bytes
        if buffer.count >= Self.bufferLength { try flush() }
    }

    /// Passes the collected bytes to the system, without waiting for the disk. Throws `io`.
    func flush() throws(ArchiveError) {
        try file.writeAll(buffer, at: flushed, path: path)
        flushed += UInt64(buffer.count)
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes bytes at an earlier offset, after the collected ones; ``length`` does not change. Throws `io`.
    func overwrite(_ bytes: [UInt8], at offset: UInt64) throws(ArchiveError) {
        try flush()
        try file.writeAll(bytes, at: offset, path: path)
    }
}
