// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The first bytes of another source.
struct BeginningOfSource: ByteSource {
    /// The number of bytes, at most as many as the other source has.
    let length: UInt64
    private let source: any ByteSource

    init(_ source: any ByteSource, length: UInt64) { (self.source, self.length) = (source, length) }

    /// The name of the other source, for errors.
    var name: String { source.name }

    /// Reads bytes of the beginning, at the same offset of the other source.
    ///
    /// - Throws: `truncated` beyond the beginning, even where the other source has bytes; errors of the other source.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
        guard offset <= length, UInt64(buffer.count) <= length - offset else {
            throw ArchiveError(.truncated, "the archive ends too early", path: name, offset: length)
        }
        try source.read(at: offset, into: buffer)
    }
}
