// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A sink that takes the bytes of an index, passes them on, and keeps the checksums of its pages. Specification section 4.
struct IndexSink {
    private let file: SequentialWriter
    private let start: UInt64
    private var page: [UInt8] = []
    /// The contents of `ISUM`: a CRC for each page.
    private(set) var sums = ByteSink()

    init(_ file: SequentialWriter) {
        self.file = file
        start = file.position
        page.reserveCapacity(FormatLimits.pageLength)
    }

    /// The number of bytes so far, which is the offset of the next one in the index.
    var length: UInt64 { file.position - start + UInt64(page.count) }

    /// Adds bytes of the index; a page is written when it is full.
    ///
    /// - Throws: as the file does.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(FormatLimits.pageLength - page.count)
            page.append(contentsOf: part)
            rest = rest.dropFirst(part.count)
            if page.count == FormatLimits.pageLength { try endPage() }
        }
    }

    mutating func append(_ bytes: [UInt8]) throws(ArchiveError) {
        try bytes.withBytes { (bytes) throws(ArchiveError) in try append(bytes) }
    }

    /// Writes the last, shorter page.
    mutating func finish() throws(ArchiveError) { if !page.isEmpty { try endPage() } }

    private mutating func endPage() throws(ArchiveError) {
        sums.integer(Checksum.of(page))
        try file.append(page)
        page.removeAll(keepingCapacity: true)
    }
}
