// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A ZIP file with its central directory, which alone lists the members. APPNOTE section 4.3.
///
/// Members that overlap are refused: they can make a small file decode to any length.
struct ZIPFile {
    /// The bytes of the file.
    let source: any ByteSource
    /// The members, in the order of the directory.
    let members: [ZIPMember]

    /// The first bytes of a file with members, and of one without any.
    static let signatures: [[UInt8]] = [[0x50, 0x4B, 3, 4], [0x50, 0x4B, 5, 6]]

    /// The maximum length of the directory: that of some 200,000 members.
    private static let maximumDirectoryLength: UInt64 = 16 << 20
    private static let endSignature: [UInt8] = [0x50, 0x4B, 5, 6]
    private static let endLength = 22
    private static let locatorLength = 20
    private static let wideEndLength = 56

    /// Reads the directory.
    ///
    /// - Throws: `truncated` if the file has no end of a directory, `damaged` for one that is wrong, each with the path; `limitExceeded`, `io`.
    init(_ source: any ByteSource) throws(ArchiveError) {
        self.source = source
        do throws(ArchiveError) {
            members = try Self.members(of: source)
        } catch {
            throw error.at(path: source.name)
        }
    }

    private static func members(of source: any ByteSource) throws(ArchiveError) -> [ZIPMember] {
        let (start, length, shift) = try directory(of: source)
        guard length <= maximumDirectoryLength else {
            throw ArchiveError(
                .limitExceeded, "the ZIP directory of \(length) bytes exceeds the limit of \(maximumDirectoryLength)",
                offset: start)
        }
        var cursor = ByteCursor(try source.bytes(at: start, count: Int(length)), at: start)
        var members: [ZIPMember] = []
        while !cursor.isAtEnd {
            let place = cursor.offset
            var member = try ZIPMember(&cursor)
            member.headerOffset = member.headerOffset.addingSaturated(shift)
            guard member.headerOffset < start else {
                throw .damaged("a ZIP member begins after the directory", offset: place)
            }
            members.append(member)
        }
        try setLimits(&members, end: start)
        return members
    }

    /// Sets the limit of each member, and checks that none reaches into the next one.
    private static func setLimits(_ members: inout [ZIPMember], end: UInt64) throws(ArchiveError) {
        var limit = end
        for place in members.indices.sorted(by: { members[$0].headerOffset > members[$1].headerOffset }) {
            let member = members[place]
            let least = member.headerOffset.addingSaturated(ZIPMember.localHeaderLength)
                .addingSaturated(member.storedLength)
            guard least <= limit else {
                throw .damaged("ZIP members overlap, or one is longer than the file", offset: member.headerOffset)
            }
            members[place].limit = limit
            limit = member.headerOffset
        }
    }

    /// Finds the directory.
    ///
    /// - Returns: its offset, its length, and the number of bytes before the ZIP file: offsets count from its start.
    private static func directory(
        of source: any ByteSource
    ) throws(ArchiveError) -> (start: UInt64, length: UInt64, shift: UInt64) {
        let end = try end(of: source)
        var cursor = ByteCursor(try source.bytes(at: end, count: endLength), at: end)
        try cursor.skip(12)
        var length = UInt64(try cursor.integer(UInt32.self))
        var offset = UInt64(try cursor.integer(UInt32.self))
        var directoryEnd = end
        if let wide = try wideEnd(of: source, before: end) {
            (length, offset, directoryEnd) = wide
        }
        guard length <= directoryEnd, offset <= directoryEnd - length else {
            throw .damaged("the ZIP directory lies outside the file", offset: end)
        }
        let start = directoryEnd - length
        return (start, length, start - offset)
    }

    /// Finds the end record: the last one that is right, for a comment of up to 65,535 bytes may follow.
    private static func end(of source: any ByteSource) throws(ArchiveError) -> UInt64 {
        let count = Int(min(source.length, UInt64(endLength + 0xFFFF)))
        let start = source.length - UInt64(count)
        let bytes = try source.bytes(at: start, count: count)
        for place in stride(from: count - endLength, through: 0, by: -1) where bytes[place] == endSignature[0] {
            guard bytes[place...].starts(with: endSignature) else { continue }
            let comment = Int(bytes[place + 20]) | Int(bytes[place + 21]) << 8
            if place + endLength + comment <= count { return start + UInt64(place) }
        }
        throw ArchiveError(
            .truncated, "the ZIP file has no directory at its end; it may be an incomplete download",
            offset: source.length)
    }

    /// Reads the end record with numbers of 64 bits; nil if there is none.
    private static func wideEnd(
        of source: any ByteSource, before end: UInt64
    ) throws(ArchiveError) -> (length: UInt64, offset: UInt64, place: UInt64)? {
        guard end >= UInt64(locatorLength) else { return nil }
        let place = end - UInt64(locatorLength)
        var locator = ByteCursor(try source.bytes(at: place, count: locatorLength), at: place)
        guard try locator.integer(UInt32.self) == ZIPSignature.locator else { return nil }
        try locator.skip(4)
        let claimed: UInt64 = try locator.integer()
        // It stands directly before its locator, also where bytes precede the ZIP file.
        for start in [claimed, place.subtractingSaturated(UInt64(wideEndLength))]
        where start.addingSaturated(UInt64(wideEndLength)) <= place {
            var cursor = ByteCursor(try source.bytes(at: start, count: wideEndLength), at: start)
            guard try cursor.integer(UInt32.self) == ZIPSignature.wideEnd else { continue }
            try cursor.skip(36)
            return (try cursor.integer(), try cursor.integer(), start)
        }
        throw .damaged("the ZIP file's directory with 64 bits is missing", offset: place)
    }

    // MARK: - Content

    /// Opens a member.
    ///
    /// - Parameter name: the name for errors.
    /// - Throws: `unsupportedFeature` for another method or encryption; `damaged`, `io`.
    func open(_ member: ZIPMember, name: String) throws(ArchiveError) -> ZIPMemberInput {
        guard let method = member.method else {
            throw ArchiveError(
                .unsupportedFeature, "the member is encrypted, or compressed by a method other than deflate",
                path: name)
        }
        do throws(ArchiveError) {
            return try ZIPMemberInput(source, member, method, from: contentOffset(of: member), name: name)
        } catch {
            throw error.path == nil ? error.at(path: source.name) : error
        }
    }

    /// Returns the content of a member for access in any order: that of a compressed one from a temporary file without a name.
    ///
    /// - Throws: as ``open(_:name:)``.
    func source(of member: ZIPMember, name: String) throws(ArchiveError) -> any ByteSource {
        guard case .stored = member.method else { return try SpooledSource(open(member, name: name)) }
        let start = try contentOffset(of: member)
        return SourceRange(source, start..<start + member.storedLength, name: name)
    }

    /// Returns the offset in the file of the stored content of a member: that behind its local header.
    private func contentOffset(of member: ZIPMember) throws(ArchiveError) -> UInt64 {
        let start = member.headerOffset
        var cursor = ByteCursor(try source.bytes(at: start, count: Int(ZIPMember.localHeaderLength)), at: start)
        guard try cursor.integer(UInt32.self) == ZIPSignature.local else {
            throw ArchiveError.damaged("no ZIP member begins here", offset: start)
        }
        try cursor.skip(22)
        let (nameLength, extraLength) = (try cursor.integer(UInt16.self), try cursor.integer(UInt16.self))
        let content = start + ZIPMember.localHeaderLength + UInt64(nameLength) + UInt64(extraLength)
        guard content.addingSaturated(member.storedLength) <= member.limit else {
            throw ArchiveError.damaged("a ZIP member reaches into the next one", offset: start)
        }
        return content
    }

    /// Returns the content of a small member.
    ///
    /// - Throws: `limitExceeded` for a longer one; as ``open(_:name:)``.
    func bytes(of member: ZIPMember, name: String, maximumLength: UInt64) throws(ArchiveError) -> [UInt8] {
        guard member.length <= maximumLength else {
            throw ArchiveError(
                .limitExceeded, "the member of \(member.length) bytes exceeds the limit of \(maximumLength)", path: name
            )
        }
        let input = try open(member, name: name)
        var (bytes, isAtEnd) = ([UInt8](), false)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while !isAtEnd {
            let count = try buffer.withMutableBytes { (buffer) throws(ArchiveError) in try input.read(into: buffer) }
            bytes += buffer[..<count]
            isAtEnd = count == 0
        }
        return bytes
    }
}
