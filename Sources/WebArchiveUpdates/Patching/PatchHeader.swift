// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchive
import WebArchiveFormat

/// The first bytes of a patch: the archive that it is for, and the archive that it produces. Patch specification section 2.
struct PatchHeader: Equatable {
    /// The first 8 bytes of a patch.
    static let signature: [UInt8] = [0x89] + Array("WEBPT\r\n".utf8)
    /// The length of the header, in bytes.
    static let length = 208

    /// Whether the patch contains all stored bytes that another machine's LZ4 may write differently.
    var isPortable = false
    /// The length of the archive that the patch is for, to the end of its last commit.
    var oldLength: UInt64
    /// The identity of this archive; see ``identity(of:)``.
    var oldIdentity: [UInt8]
    /// The length of the archive that the patch produces.
    var newLength: UInt64
    /// The SHA-256 of this archive.
    var newDigest: [UInt8]
    /// The end of the bytes that both archives share from byte 96 on.
    var keptLength: UInt64
    /// The header of the new archive, 96 bytes.
    var archiveHeader: [UInt8]
    /// The number of commits that the patch describes.
    var commitCount: UInt32

    /// Returns the encoded header.
    func encoded() -> [UInt8] {
        var sink = ByteSink()
        sink.append(Self.signature)
        sink.append([1, 0, isPortable ? 1 : 0, 0])
        sink.zeros(4)
        sink.integer(oldLength)
        sink.append(oldIdentity)
        sink.integer(newLength)
        sink.append(newDigest)
        sink.integer(keptLength)
        sink.append(archiveHeader)
        sink.integer(commitCount)
        sink.checksum()
        return sink.bytes
    }

    /// Reads the first bytes of a file.
    ///
    /// - Throws: `notAnArchive` for a file that is not a patch, `unsupportedVersion`, `truncated`, `damaged`.
    init(of source: any ByteSource) throws(ArchiveError) {
        let start = try source.bytes(at: 0, count: Int(min(source.length, UInt64(Self.length))))
        guard start.starts(with: Self.signature) else {
            throw ArchiveError(.notAnArchive, "not a patch", path: source.name)
        }
        guard start.count == Self.length else {
            throw ArchiveError(.truncated, "the patch ends within its header", path: source.name)
        }
        guard start[8] == 1 else {
            throw ArchiveError(
                .unsupportedVersion, "the patch has version \(start[8]); this program reads version 1",
                path: source.name)
        }
        var cursor = ByteCursor(start, at: 0)
        do throws(ArchiveError) {
            try cursor.skip(10)
            isPortable = try cursor.integer(UInt8.self) & 1 == 1
            try cursor.skip(5)
            oldLength = try cursor.integer()
            oldIdentity = Array(try cursor.bytes(32))
            newLength = try cursor.integer()
            newDigest = Array(try cursor.bytes(32))
            keptLength = try cursor.integer()
            archiveHeader = Array(try cursor.bytes(FormatLimits.headerLength))
            commitCount = try cursor.integer()
            guard try cursor.integer() == Checksum.of(start[..<(Self.length - 4)]) else {
                throw .damaged("the header of the patch does not match its checksum", offset: 0)
            }
            guard newLength < FormatLimits.maximumFileLength, commitCount <= FormatLimits.maximumCommitCount,
                keptLength >= FormatLimits.headerLength, keptLength <= min(oldLength, newLength)
            else { throw .damaged("the header of the patch is inconsistent", offset: 0) }
            // Buffers have the length of the longest legal block.
            _ = try ArchiveHeader(decoding: archiveHeader)
        } catch {
            throw error.at(path: source.name)
        }
    }

    init(
        oldLength: UInt64, oldIdentity: [UInt8], newLength: UInt64, newDigest: [UInt8], keptLength: UInt64,
        archiveHeader: [UInt8], commitCount: UInt32, isPortable: Bool
    ) {
        (self.oldLength, self.oldIdentity, self.newLength, self.newDigest) = (
            oldLength, oldIdentity, newLength, newDigest
        )
        (self.keptLength, self.archiveHeader, self.commitCount) = (keptLength, archiveHeader, commitCount)
        self.isPortable = isPortable
    }

    /// Computes the identity of an archive: the SHA-256 of the contents of its commits without stored blocks, whose CRCs and digests the index has.
    ///
    /// Costs a reading of the index.
    static func identity(of archive: StoredArchive) throws(ArchiveError) -> [UInt8] {
        var hash = SHA256()
        try hash.update(archive.source, 0..<32)
        for layout in archive.layouts {
            for section in layout.sections.sections where section.kind != .blocks {
                try hash.update(archive.source, section.extent.offset..<section.extent.end)
            }
            try hash.update(archive.source, layout.end)
        }
        return Array(hash.finalize())
    }
}

extension SHA256 {
    /// Computes the SHA-256 of the first bytes of a file, all by default.
    static func digest(of source: any ByteSource, _ length: UInt64? = nil) throws(ArchiveError) -> [UInt8] {
        var hash = SHA256()
        try hash.update(source, 0..<(length ?? source.length))
        return Array(hash.finalize())
    }

    /// Hashes a range of a file.
    mutating func update(_ source: any ByteSource, _ range: Range<UInt64>) throws(ArchiveError) {
        var position = range.lowerBound
        while position < range.upperBound {
            let count = Int(min(range.upperBound - position, 1 << 20))
            try source.bytes(at: position, count: count).withUnsafeBytes { update(bufferPointer: $0) }
            position += UInt64(count)
        }
    }
}
