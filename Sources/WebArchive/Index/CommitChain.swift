// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A commit as found in the file.
struct CommitChain: Sendable {
    struct Commit: Sendable {
        /// The footer, which satisfies the rules of section 4.
        let footer: CommitFooter
        /// The sections, which satisfy them too.
        let sections: SectionTable
        /// The bytes of section table and footer.
        let end: [UInt8]
    }

    /// The header, whose recovery slots are used if no commit ends the file.
    let header: ArchiveHeader
    /// Bytes 0 to 31 of the file, which a tree covers.
    let headerBytes: [UInt8]
    /// The commits, the oldest first; at least one.
    let commits: [Commit]
    /// The number of bytes after the newest whole commit, of a writer that did not finish.
    let tornTail: UInt64
    /// Whether a commit after the newest one was whole once and is now damaged or cut off.
    let isLastCommitDamaged: Bool

    /// Reads header, footers and section tables, from the end of the file to its start.
    ///
    /// - Throws: `notAnArchive`, `unsupportedVersion`, `unsupportedFeature`, `truncated`, `damaged`, `limitExceeded` or
    ///   `io`.
    init(reading source: any ByteSource) throws(ArchiveError) {
        guard source.length < FormatLimits.maximumFileLength else {
            throw ArchiveError(.limitExceeded, "the archive exceeds the maximum length", path: source.name)
        }
        (header, headerBytes) = try ArchiveHeader.read(source)
        let newest = try Self.newest(in: source, header: header)
        tornTail = source.length - newest.footer.end
        let known = header.recoverySlots.compactMap { $0?.commitNumber }.max() ?? 0
        let endsInFooter = tornTail > 0 ? try Self.endsInDamagedFooter(source) : false
        // A slot that was read after the length may be of a commit that was appended in between.
        let isCutOff = known > newest.footer.commitNumber && (source as? FileByteSource)?.hasGrown != true
        isLastCommitDamaged = endsInFooter || isCutOff
        var commits = [newest]
        while let last = commits.last, let earlier = try Self.commit(before: last, in: source) {
            commits.append(earlier)
        }
        self.commits = commits.reversed()
    }

    /// Reads the commit before another one; nil if that is the first.
    ///
    /// - Throws: `damaged` if it is missing; `io`.
    static func commit(before commit: Commit, in source: any ByteSource) throws(ArchiveError) -> Commit? {
        let footer = commit.footer
        guard footer.commitNumber > 0 else { return nil }
        guard footer.previousFooter < footer.offset,
            let earlier = try intactCommit(at: footer.previousFooter, in: source)
        else {
            throw .damaged(
                "the commit before commit \(footer.commitNumber) is damaged", offset: footer.previousFooter)
        }
        guard earlier.footer.commitNumber + 1 == footer.commitNumber, earlier.footer.end == footer.commitStart else {
            throw .damaged("the commits are not consecutive", offset: footer.offset)
        }
        return earlier
    }

    private static func newest(in source: any ByteSource, header: ArchiveHeader) throws(ArchiveError) -> Commit {
        let footerLength = UInt64(FormatLimits.footerLength)
        guard source.length >= UInt64(FormatLimits.headerLength) + footerLength else {
            throw ArchiveError(.truncated, "the file ends within its first commit", offset: source.length)
        }
        if let found = try intactCommit(at: source.length - footerLength, in: source) { return found }
        let slots = header.recoverySlots.compactMap(\.self).sorted { $0.commitNumber > $1.commitNumber }
        for slot in slots where slot.footerOffset <= source.length - footerLength {
            if let found = try intactCommit(at: slot.footerOffset, number: slot.commitNumber, in: source) {
                return found
            }
        }
        throw ArchiveError(
            .truncated, "no complete commit; the file is truncated, or its end is damaged", offset: source.length)
    }

    /// Returns the commit whose footer is at `offset`, or nil if no intact footer with an intact section table does.
    ///
    /// Throws for an intact commit that breaks a rule: an older commit must not hide that.
    static func intactCommit(
        at offset: UInt64, number: UInt32? = nil, in source: any ByteSource
    ) throws(ArchiveError) -> Commit? {
        let bytes = try source.bytes(at: offset, count: FormatLimits.footerLength)
        guard CommitFooter.isIntact(bytes, at: offset) else { return nil }
        if let number {
            guard bytes[24..<28].elementsEqual(withUnsafeBytes(of: number.littleEndian, Array.init)) else { return nil }
        }
        let footer = try CommitFooter(decoding: bytes, at: offset)
        let table = try source.bytes(
            at: footer.sectionTableOffset, count: Int(footer.sectionCount) * FormatLimits.sectionLength)
        guard Checksum.of(table) == footer.sectionTableChecksum else { return nil }
        return Commit(
            footer: footer, sections: try SectionTable(decoding: table, footer: footer), end: table + bytes)
    }

    /// Returns whether the file ends in bytes like a footer: its last commit then does not count as unfinished.
    static func endsInDamagedFooter(_ source: any ByteSource) throws(ArchiveError) -> Bool {
        CommitFooter.isDamaged(
            try source.bytes(
                at: source.length - UInt64(FormatLimits.footerLength), count: CommitFooter.signature.count))
    }
}
