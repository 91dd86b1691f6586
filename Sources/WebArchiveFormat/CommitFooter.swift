// SPDX-License-Identifier: Apache-2.0

/// The last 64 bytes of a commit. Specification section 4.
package struct CommitFooter: Equatable, Sendable {
    /// The 8 bytes with which a footer begins.
    package static let signature: [UInt8] = [0x89] + Array("WEBEND\n".utf8)

    /// The offset of the footer itself, in bytes from the start of the file.
    package var offset: UInt64
    /// The offset of the previous commit's footer; 0 in commit 0.
    package var previousFooter: UInt64
    /// The number of the commit, 0 to 1,023.
    package var commitNumber: UInt32
    /// The number of sections, 0 to 64.
    package var sectionCount: UInt32
    /// The offset of the commit's first byte; 96 in commit 0.
    package var commitStart: UInt64
    /// The CRC of the section table.
    package var sectionTableChecksum: UInt32

    package init(
        offset: UInt64, previousFooter: UInt64, commitNumber: UInt32, sectionCount: UInt32, commitStart: UInt64,
        sectionTableChecksum: UInt32
    ) {
        self.offset = offset
        self.previousFooter = previousFooter
        self.commitNumber = commitNumber
        self.sectionCount = sectionCount
        self.commitStart = commitStart
        self.sectionTableChecksum = sectionTableChecksum
    }

    /// Returns whether the 64 bytes at `offset` are a footer that was written there: signature, checksum and own offset
    /// are right.
    ///
    /// A body that contains an archive has footers too; their own offsets distinguish them. Specification section 9.
    package static func isIntact(_ bytes: [UInt8], at offset: UInt64) -> Bool {
        bytes.count == FormatLimits.footerLength && bytes.starts(with: signature)
            && bytes[8..<16].elementsEqual(withUnsafeBytes(of: offset.littleEndian, Array.init))
            && bytes[60...].elementsEqual(withUnsafeBytes(of: Checksum.of(bytes[..<60]).littleEndian, Array.init))
    }

    /// Returns whether bytes at the end of a file begin like a footer, half of whose signature may be damaged. Specification section 9.
    package static func isDamaged(_ bytes: [UInt8]) -> Bool {
        zip(bytes, signature).count { $0 == $1 } * 2 >= signature.count
    }

    /// Reads a footer found at `offset`.
    ///
    /// - Throws: `damaged` unless checksum and offset are right and its values keep the rules of section 4.
    package init(decoding bytes: [UInt8], at offset: UInt64) throws(ArchiveError) {
        var cursor = ByteCursor(bytes, at: offset)
        guard try cursor.bytes(8).elementsEqual(Self.signature) else {
            throw .damaged("missing footer signature", offset: offset)
        }
        self.offset = try cursor.integer()
        previousFooter = try cursor.integer()
        commitNumber = try cursor.integer()
        sectionCount = try cursor.integer()
        commitStart = try cursor.integer()
        sectionTableChecksum = try cursor.integer()
        try cursor.skip(16)
        guard try cursor.integer() == Checksum.of(bytes[..<60]) else {
            throw .damaged("the footer does not match its checksum", offset: offset)
        }
        guard self.offset == offset, isConsistent else { throw .damaged("the footer is inconsistent", offset: offset) }
    }

    private var isConsistent: Bool {
        guard offset < FormatLimits.maximumFileLength, previousFooter < offset else { return false }
        let expectedStart =
            commitNumber == 0
            ? UInt64(FormatLimits.headerLength)
            : previousFooter + UInt64(FormatLimits.footerLength)
        return commitNumber < FormatLimits.maximumCommitCount
            && sectionCount <= FormatLimits.maximumSectionCount
            && (commitNumber == 0) == (previousFooter == 0)
            && commitStart == expectedStart
            && offset >= commitStart
            && offset - commitStart >= UInt64(sectionCount) * UInt64(FormatLimits.sectionLength)
    }

    /// The offset of the section table, which directly precedes the footer.
    package var sectionTableOffset: UInt64 { offset - UInt64(sectionCount) * UInt64(FormatLimits.sectionLength) }

    /// The end of the commit, and the start of the next one.
    package var end: UInt64 { offset + UInt64(FormatLimits.footerLength) }

    /// Returns the encoded footer, 64 bytes.
    package func encoded() -> [UInt8] {
        var sink = ByteSink()
        sink.append(Self.signature)
        sink.integer(offset)
        sink.integer(previousFooter)
        sink.integer(commitNumber)
        sink.integer(sectionCount)
        sink.integer(commitStart)
        sink.integer(sectionTableChecksum)
        sink.zeros(16)
        sink.checksum()
        return sink.bytes
    }
}
