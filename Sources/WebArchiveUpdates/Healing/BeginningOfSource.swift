// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The first bytes of another source.
struct BeginningOfSource: ByteSource {
    let length: UInt64
    private let source: any ByteSource

    init(_ source: any ByteSource, length: UInt64) { (self.source, self.length) = (source, length) }

    var name: String { source.name }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
        guard offset <= length, UInt64(buffer.count) <= length - offset else {
            throw ArchiveError(.truncated, "the archive ends too early", path: name, offset: length)
        }
        try source.read(at: offset, into: buffer)
    }
}
