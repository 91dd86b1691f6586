// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A part of a file as an input.
final class RangeInput: ByteInput {
    let isPlain = true
    private(set) var fileOffset: UInt64
    private let source: any ByteSource
    private let end: UInt64

    /// - Parameter range: the part, inside the file.
    init(_ source: any ByteSource, _ range: Range<UInt64>) {
        (self.source, fileOffset, end) = (source, range.lowerBound, range.upperBound)
    }

    var name: String { source.name }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let count = Int(min(UInt64(buffer.count), end - fileOffset))
        guard count > 0 else { return 0 }
        try source.read(at: fileOffset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        fileOffset += UInt64(count)
        return count
    }

    /// Returns true: plain bytes have no damage of their own.
    func skipDamage() throws(ArchiveError) -> Bool { true }
}
