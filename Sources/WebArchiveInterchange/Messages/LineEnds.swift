// SPDX-License-Identifier: Apache-2.0

import WebArchive

extension [UInt8] {
    /// The bytes with spaces for line ends and NUL, except for line ends before a blank, which continue a value (RFC 9112 section 5.2).
    ///
    /// An archive can have any bytes in texts, and must not have other records in the file than those that it lists.
    var withoutLineEnds: [UInt8] {
        guard contains(where: Self.isLineEnd) else { return self }
        var bytes = self
        for place in bytes.indices where Self.isLineEnd(self[place]) && !isFold(place) {
            bytes[place] = UInt8(ascii: " ")
        }
        return bytes
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D || byte == 0 }

    /// Returns whether the byte at a place belongs to CR LF before a blank.
    private func isFold(_ place: Int) -> Bool {
        let feed = self[place] == 0x0D ? place + 1 : place
        guard feed > 0, feed + 1 < count, self[feed] == 0x0A, self[feed - 1] == 0x0D else { return false }
        return self[feed + 1] == 0x20 || self[feed + 1] == 0x09
    }
}

extension HeaderFields {
    /// The fields with spaces for line ends and NUL in names and values, except in values that have several lines.
    var withoutLineEnds: HeaderFields {
        HeaderFields(
            map { HeaderField(nameBytes: $0.nameBytes.withoutLineEnds, valueBytes: $0.valueBytes.withoutLineEnds) })
    }
}
