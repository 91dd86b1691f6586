// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// A search for the ends of commits in a file whose own end does not show its last commit. Specification sections 3 and 4.
enum FooterSearch {
    /// The maximum number of ends: a file can be full of footers.
    static let maximumCount = 16
    /// The number of bytes that are read at once, and the memory that the search takes.
    private static let pieceLength = 1 << 20

    /// Finds the ends of intact footers that were written where they are.
    ///
    /// It costs one reading of the bytes.
    ///
    /// - Parameter start: the offset at which the search ends; it runs backwards.
    /// - Returns: at most ``maximumCount`` ends, the last one first.
    static func ends(in file: any ByteSource, after start: UInt64) throws(ArchiveError) -> [UInt64] {
        let length = FormatLimits.footerLength
        let signature = CommitFooter.signature.word(at: 0)
        var ends: [UInt64] = []
        var upper = file.length
        while upper >= start + UInt64(length), ends.count < maximumCount {
            let lower = max(start, upper - min(upper, UInt64(pieceLength)))
            let bytes = try file.bytes(in: lower..<upper)
            for position in stride(from: bytes.count - length, through: 0, by: -1)
            where bytes.word(at: position) == signature && ends.count < maximumCount {
                let offset = lower + UInt64(position)
                let footer = Array(bytes[position..<position + length])
                if CommitFooter.isIntact(footer, at: offset) { ends.append(offset + UInt64(length)) }
            }
            guard lower > start else { break }
            // A footer may lie across the border.
            upper = lower + UInt64(length) - 1
        }
        return ends
    }
}

extension [UInt8] {
    /// Returns eight bytes as a number, for comparisons.
    func word(at position: Int) -> UInt64 {
        precondition(position >= 0 && position <= count - 8)
        // The bytes are within the array, which a release build does not check itself.
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: UInt64.self) }
    }
}
