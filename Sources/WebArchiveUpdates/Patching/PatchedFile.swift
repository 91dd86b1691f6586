// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A sequential output to a file that replaces an archive, up to its stated length.
final class PatchedFile {
    private let file: WholeArchiveFile
    private let limit: UInt64
    private var buffer: [UInt8] = []
    private var flushed: UInt64 = 0

    private static let bufferLength = 1 << 20

    /// - Parameter limit: the maximum length of the file.
    init(_ file: WholeArchiveFile, limit: UInt64) { (self.file, self.limit) = (file, limit) }

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

    /// Passes the collected bytes to the system.
    func flush() throws(ArchiveError) {
        try file.write(buffer, at: flushed)
        flushed += UInt64(buffer.count)
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes bytes at an earlier offset.
    func overwrite(_ bytes: [UInt8], at offset: UInt64) throws(ArchiveError) {
        try flush()
        try file.write(bytes, at: offset)
    }
}
