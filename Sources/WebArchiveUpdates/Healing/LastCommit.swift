// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// The last commit of a file whose end or beginning is damaged, as far as the file shows it. Specification sections 3 and 9.
///
/// Editions of a site can share all but a few of their bytes. The offset of the last footer distinguishes them where it is known.
struct LastCommit {
    /// The number; nil where it is not known.
    let number: UInt32?
    /// The offset of the footer; nil where it is not known.
    let footerOffset: UInt64?

    /// Finds the commit by the recovery slots and by the end of the file.
    ///
    /// - Returns: nil if neither shows it.
    init?(of file: any ByteSource) throws(ArchiveError) {
        let slot = try Self.slots(of: file)
        let footer = try Self.footer(of: file)
        if let offset = footer?.offset, offset >= slot?.footerOffset ?? 0 {
            (number, footerOffset) = (footer?.number, offset)
        } else if let slot {
            (number, footerOffset) = (slot.number, slot.footerOffset)
        } else {
            return nil
        }
    }

    private init(number: UInt32?, footerOffset: UInt64?) { (self.number, self.footerOffset) = (number, footerOffset) }

    /// Returns whether a footer of another file may be that of the commit.
    func isPossible(_ footer: CommitFooter) -> Bool {
        (number ?? footer.commitNumber) == footer.commitNumber && (footerOffset ?? footer.offset) == footer.offset
    }

    /// Returns the later one of two slots, each of which names a commit that was whole once.
    private static func slots(of file: any ByteSource) throws(ArchiveError) -> LastCommit? {
        guard file.length >= UInt64(FormatLimits.headerLength) else { return nil }
        let bytes = try file.bytes(at: 0, count: FormatLimits.headerLength)
        // Slots have checksums of their own, and count though the bytes before them are damaged.
        let header = try ArchiveHeader(decoding: Array(ArchiveHeader().encoded()[..<32] + bytes[32...]))
        guard header.damagedSlots.isEmpty else { return nil }
        if let slot = header.recoverySlots.compactMap({ $0 }).max(by: { $0.commitNumber < $1.commitNumber }) {
            return LastCommit(number: slot.commitNumber, footerOffset: slot.footerOffset)
        }
        // A writer that appends writes a slot first.
        let isHeadWhole = (try? ArchiveHeader(decoding: bytes)) != nil
        return isHeadWhole ? LastCommit(number: 0, footerOffset: nil) : nil
    }

    /// Returns the footer at the end of the file, which may be damaged.
    private static func footer(of file: any ByteSource) throws(ArchiveError) -> (number: UInt32?, offset: UInt64)? {
        let length = UInt64(FormatLimits.footerLength)
        guard file.length >= UInt64(FormatLimits.headerLength) + length else { return nil }
        let offset = file.length - length
        let bytes = try file.bytes(at: offset, count: FormatLimits.footerLength)
        if CommitFooter.isIntact(bytes, at: offset) {
            return (try? CommitFooter(decoding: bytes, at: offset).commitNumber, offset)
        }
        return CommitFooter.isDamaged(bytes) ? (nil, offset) : nil
    }
}
