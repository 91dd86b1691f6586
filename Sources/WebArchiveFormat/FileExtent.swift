// SPDX-License-Identifier: Apache-2.0

/// A range of bytes in a file: its start and its length. Its end never overflows.
package struct FileExtent: Hashable, Sendable {
    /// The offset of the first byte.
    package let offset: UInt64
    /// The length, in bytes.
    package let length: UInt64

    /// Creates an extent that is checked against a limit.
    ///
    /// - Throws: `damaged` unless `offset + length` is at or below `limit`, computed without overflow.
    package init(offset: UInt64, length: UInt64, within limit: UInt64) throws(ArchiveError) {
        let (end, overflow) = offset.addingReportingOverflow(length)
        guard !overflow, end <= limit else {
            throw .damaged("a part of \(length) bytes extends past byte \(limit)", offset: offset)
        }
        self.offset = offset
        self.length = length
    }

    /// The offset after the last byte.
    package var end: UInt64 { offset + length }

    /// Returns the part of this extent that starts `offset` bytes in and has `length` bytes.
    ///
    /// - Throws: `damaged` unless it is inside.
    package func part(offset: UInt64, length: UInt64) throws(ArchiveError) -> FileExtent {
        let inner = try FileExtent(offset: offset, length: length, within: self.length)
        return try FileExtent(offset: self.offset + inner.offset, length: length, within: end)
    }
}
