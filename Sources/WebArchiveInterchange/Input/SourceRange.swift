// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A part of another source that is read as a file of its own.
struct SourceRange: ByteSource {
    let name: String
    let length: UInt64
    private let source: any ByteSource
    private let start: UInt64

    /// - Parameter range: the part, inside the other source.
    init(_ source: any ByteSource, _ range: Range<UInt64>, name: String) {
        (self.source, start, length, self.name) = (source, range.lowerBound, range.upperBound - range.lowerBound, name)
    }

    var fileNumber: FileNumber? { source.fileNumber }

    /// Reads bytes of the part.
    ///
    /// - Throws: `truncated` beyond the part, even where the other source has bytes; errors of the other source.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
        guard UInt64(buffer.count) <= length.subtractingSaturated(offset) else {
            throw ArchiveError(.truncated, "the file is truncated", path: name, offset: length)
        }
        try source.read(at: start + offset, into: buffer)
    }
}
