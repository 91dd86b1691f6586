// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// An entry of the directory of a ZIM file.
struct ZIMEntry {
    /// The content of an entry.
    enum Content: Equatable {
        /// A blob of a cluster, and the number of the media type.
        case blob(ZIMBlob, mediaType: UInt16)
        /// The content of the entry with this number.
        case redirect(UInt32)
        /// Nothing, as in an entry that was deleted.
        case none
    }

    /// The offset of the entry in the file.
    let offset: UInt64
    /// The namespace: an ASCII letter or `-`.
    let namespace: UInt8
    /// The path, without the namespace: any bytes other than 0.
    let path: [UInt8]
    let content: Content

    /// The maximum length of an entry up to the end of its path.
    static let maximumLength = 64 << 10

    /// Reads an entry.
    ///
    /// - Parameters:
    ///   - bytes: the bytes of the file from the entry on, all or the first ones.
    ///   - offset: the offset of the entry in the file.
    /// - Returns: nil if the bytes end before the path does.
    init?(_ bytes: ArraySlice<UInt8>, at offset: UInt64) {
        let start = bytes.startIndex
        func integer(_ place: Int, _ length: Int) -> UInt32 {
            bytes[(start + place)..<(start + place + length)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        guard bytes.count > 16 else { return nil }
        let type = UInt16(integer(0, 2))
        let pathStart: Int
        switch type {
        case 0xFFFF: (content, pathStart) = (.redirect(integer(8, 4)), 12)
        case 0xFFFE, 0xFFFD: (content, pathStart) = (.none, 8)
        default:
            content = .blob(ZIMBlob(cluster: integer(8, 4), number: integer(12, 4)), mediaType: type)
            pathStart = 16
        }
        guard let end = bytes[(start + pathStart)...].firstIndex(of: 0) else { return nil }
        (self.offset, namespace, path) = (offset, bytes[start + 3], Array(bytes[(start + pathStart)..<end]))
    }
}

/// The place of a content in a ZIM file.
struct ZIMBlob: Hashable, Comparable {
    let cluster, number: UInt32

    static func < (left: Self, right: Self) -> Bool { (left.cluster, left.number) < (right.cluster, right.number) }
}
