// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A member of a ZIP file, as the central directory describes it. APPNOTE section 4.3.12.
struct ZIPMember {
    /// The methods of compression that are known.
    enum Method { case stored, deflated }

    /// The name: a text, which is never used as a path.
    let name: String
    /// The method; nil for one that is not known, and for an encrypted member.
    let method: Method?
    /// The CRC-32 of the content.
    let checksum: UInt32
    /// The length of the content as it is stored, in bytes.
    let storedLength: UInt64
    /// The length of the content, in bytes.
    let length: UInt64
    /// The offset of the local header in the file.
    var headerOffset: UInt64
    /// The offset in the file before which the member ends: that of the next member, or of the directory.
    var limit: UInt64

    /// The length of a local header without name and extra fields.
    static let localHeaderLength: UInt64 = 30

    /// Reads an entry of the central directory.
    ///
    /// - Throws: `damaged`.
    init(_ cursor: inout ByteCursor) throws(ArchiveError) {
        let start = cursor.offset
        guard try cursor.integer(UInt32.self) == ZIPSignature.directory else {
            throw .damaged("no entry of the ZIP directory begins here", offset: start)
        }
        try cursor.skip(4)
        let (flags, number) = (try cursor.integer(UInt16.self), try cursor.integer(UInt16.self))
        try cursor.skip(4)
        checksum = try cursor.integer(UInt32.self)
        var stored = UInt64(try cursor.integer(UInt32.self))
        var whole = UInt64(try cursor.integer(UInt32.self))
        let (nameLength, extraLength) = (Int(try cursor.integer(UInt16.self)), Int(try cursor.integer(UInt16.self)))
        let commentLength = Int(try cursor.integer(UInt16.self))
        try cursor.skip(8)
        var offset = UInt64(try cursor.integer(UInt32.self))
        name = String(decoding: try cursor.bytes(nameLength), as: UTF8.self)
        var extra = ByteCursor(Array(try cursor.bytes(extraLength)), at: cursor.offset)
        try cursor.skip(commentLength)
        // Numbers that need 64 bits, in this order, those alone (APPNOTE section 4.5.3).
        if stored == UInt32.max || whole == UInt32.max || offset == UInt32.max,
            var wide = try Self.wideNumbers(&extra)
        {
            if whole == UInt32.max { whole = try wide.integer() }
            if stored == UInt32.max { stored = try wide.integer() }
            if offset == UInt32.max { offset = try wide.integer() }
        }
        (storedLength, length, headerOffset, limit) = (stored, whole, offset, .max)
        method =
            switch (flags & 1, number) {
            case (0, 0): .stored
            case (0, 8): .deflated
            default: nil
            }
    }

    /// Returns the extra field of numbers with 64 bits; nil if there is none.
    private static func wideNumbers(_ extra: inout ByteCursor) throws(ArchiveError) -> ByteCursor? {
        while !extra.isAtEnd {
            // Some writers pad with zeros.
            guard let identifier: UInt16 = try? extra.integer(), let length: UInt16 = try? extra.integer() else {
                break
            }
            let start = extra.offset
            let content = try extra.bytes(Int(length))
            if identifier == 1 { return ByteCursor(Array(content), at: start) }
        }
        return nil
    }
}
