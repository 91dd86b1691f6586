// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// A start line and the fields after it, as in an HTTP message (RFC 9112 section 2.1) or in a WARC record (ISO 28500 section 4).
package struct MessageHead {
    /// The start line, without its line end.
    package let startLine: [UInt8]
    /// The fields. A line without a colon is none.
    package let fields: HeaderFields
    /// The number of bytes of the head, with the empty line.
    package let length: Int

    /// The maximum number of fields, which is that of the format.
    private static let maximumFieldCount = 4096

    /// Parses a head at the beginning of some bytes, leniently: lines may end with LF alone.
    ///
    /// - Returns: nil if no empty line ends the head within the bytes, or if it has too many fields.
    package init?(_ bytes: ArraySlice<UInt8>) {
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes
        while let feed = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[rest.startIndex..<feed]
            rest = rest[(feed + 1)...]
            let content = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            guard !content.isEmpty else {
                guard let first = lines.first else { return nil }
                startLine = Array(first)
                fields = Self.fields(lines.dropFirst())
                length = rest.startIndex - bytes.startIndex
                return
            }
            lines.append(content)
            guard lines.count <= Self.maximumFieldCount + 1 else { return nil }
        }
        return nil
    }

    private static func fields(_ lines: ArraySlice<ArraySlice<UInt8>>) -> HeaderFields {
        var parsed: [HeaderField] = []
        for line in lines {
            // A line that begins with a blank continues the value (RFC 9112 section 5.2).
            if let first = line.first, isBlank(first), !parsed.isEmpty {
                parsed[parsed.count - 1].valueBytes += [0x0D, 0x0A] + line
                continue
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { continue }
            parsed.append(
                HeaderField(nameBytes: Array(line[..<colon]), valueBytes: Array(trimmed(line[(colon + 1)...]))))
        }
        return HeaderFields(parsed)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = bytes.drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return start.prefix(0) }
        return start[...last]
    }

    /// Returns the serialised head of a start line and fields: specification section 7.1.
    package static func serialised(_ startLine: [UInt8], _ fields: HeaderFields) -> [UInt8] {
        var bytes = startLine
        bytes += [0x0D, 0x0A]
        for field in fields {
            bytes += field.nameBytes
            bytes += [UInt8(ascii: ":"), UInt8(ascii: " ")]
            bytes += field.valueBytes
            bytes += [0x0D, 0x0A]
        }
        return bytes + [0x0D, 0x0A]
    }
}
