// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The header of a ZIM file (openZIM, "ZIM file format"): the places of its lists.
struct ZIMHeader {
    /// The numbers of entries and of clusters.
    let entryCount, clusterCount: UInt32
    /// The offsets of the lists of entries, in the order of their paths, and of clusters.
    let entryListOffset, clusterListOffset: UInt64
    /// The offset of the list of media types.
    let typeListOffset: UInt64
    /// The number of the main page; nil for none.
    let mainPage: UInt32?
    /// The offset of the MD5 of all bytes before it; nil in an old file, which has none.
    let checksumOffset: UInt64?
    /// Whether all content is in the namespace C.
    let hasOneContentNamespace: Bool

    /// The first bytes of a file.
    static let signature: [UInt8] = [0x5A, 0x49, 0x4D, 4]
    /// The length of the header, and of one without a checksum.
    private static let length = 80, oldLength: UInt64 = 72
    /// The length of an MD5.
    static let checksumLength: UInt64 = 16

    /// Reads the header.
    ///
    /// - Throws: `unsupportedVersion` unless the version is 5 or 6; `truncated` and `damaged` for lists that do not lie in the file; `io`.
    init(_ source: any ByteSource) throws(ArchiveError) {
        guard source.length >= Self.length else {
            throw ArchiveError(.truncated, "the ZIM file is cut off in its header", offset: source.length)
        }
        var cursor = ByteCursor(try source.bytes(at: 0, count: Self.length), at: 0)
        try cursor.skip(Self.signature.count)
        let (major, minor): (UInt16, UInt16) = (try cursor.integer(), try cursor.integer())
        guard major == 5 || major == 6 else {
            throw ArchiveError(
                .unsupportedVersion, "a ZIM file of version \(major); versions 5 and 6 can be imported", offset: 4)
        }
        hasOneContentNamespace = minor >= 1
        // The identifier.
        try cursor.skip(16)
        (entryCount, clusterCount) = (try cursor.integer(), try cursor.integer())
        entryListOffset = try cursor.integer()
        // The list of titles has the same entries.
        try cursor.skip(8)
        (clusterListOffset, typeListOffset) = (try cursor.integer(), try cursor.integer())
        let page: UInt32 = try cursor.integer()
        mainPage = page == .max ? nil : page
        try cursor.skip(4)
        let checksum: UInt64 = try cursor.integer()
        checksumOffset = typeListOffset == Self.oldLength ? nil : checksum
        let lists = [
            (entryListOffset, UInt64(entryCount) * 8, 32, "entries"),
            (clusterListOffset, UInt64(clusterCount) * 8, 48, "clusters"), (typeListOffset, 1, 56, "media types"),
        ]
        for (start, length, field, name) in lists
        where start < Self.oldLength || start.addingSaturated(length) > source.length {
            // The lists of entries and clusters are at the end of most files.
            if let checksumOffset, checksumOffset.addingSaturated(Self.checksumLength) > source.length {
                throw ArchiveError(
                    .truncated,
                    "the ZIM file ends before its list of \(name); it may be an incomplete download, or one part of several",
                    offset: source.length)
            }
            throw .damaged("the list of \(name) lies outside the ZIM file", offset: UInt64(field))
        }
    }
}
