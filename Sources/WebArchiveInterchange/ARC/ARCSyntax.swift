// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The syntax of the records of an ARC file, versions 1 and 2: the format of the Internet Archive before WARC.
///
/// A record begins with a line of fields, separated by single spaces: in version 1 the URL, the address, the time in 14 digits, the media type and the
/// length; in version 2 the status, a checksum and the place in the file come before the length.
struct ARCSyntax: RecordSyntax {
    /// The maximum length of the line, in bytes.
    let maximumStartLength = 1 << 14

    /// The first bytes of a file: its first record describes the file.
    static let mark = Array("filedesc:".utf8)

    func isStart(_ bytes: ArraySlice<UInt8>) -> Bool { line(bytes) != nil }

    func head(_ bytes: ArraySlice<UInt8>, offset: UInt64) -> (head: RecordHead?, length: Int)? {
        guard let line = line(bytes) else { return nil }
        let url = String(decoding: line.url, as: UTF8.self)
        let type = String(decoding: line.mediaType, as: UTF8.self)
        let isMessage = ["http://", "https://"].contains { url.asciiLowercased.hasPrefix($0) }
        var fields = HeaderFields()
        fields.append(
            name: "WARC-Type",
            value: isMessage ? "response" : line.url.starts(with: Self.mark) ? "warcinfo" : "resource")
        fields.append(name: "WARC-Target-URI", value: url)
        if let date = line.date { fields.append(name: "WARC-Date", value: date) }
        if line.address != "0.0.0.0" { fields.append(name: "WARC-IP-Address", value: line.address) }
        fields.append(name: "Content-Type", value: isMessage ? "application/http; msgtype=response" : type)
        fields.append(name: "Content-Length", value: String(line.blockLength))
        return (
            RecordHead(
                version: ArchiveRecord.defaultVersion, fields: fields, odd: [], blockLength: line.blockLength,
                offset: offset), line.length
        )
    }

    private struct Line {
        let url: ArraySlice<UInt8>
        let address: String
        let date: String?
        let mediaType: ArraySlice<UInt8>
        let blockLength: UInt64
        /// The number of bytes, with the line end.
        let length: Int
    }

    /// Reads the line with which a record begins; nil for other bytes.
    ///
    /// A URL may have spaces, against the rules; so the fields are counted from the end.
    private func line(_ bytes: ArraySlice<UInt8>) -> Line? {
        guard let first = bytes.first, Self.isLetter(first),
            let feed = bytes.prefix(maximumStartLength).firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        let content = bytes[bytes.startIndex..<feed]
        let all = content.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard all.count >= 5, let last = all.last, let length = Self.number(last) else { return nil }
        // Version 2 has nine fields after the URL, version 1 four, and more where the media type has spaces.
        for count in [9, 4, 10, 5, 11, 6] where all.count > count {
            let fields = all.suffix(count)
            let (address, date, type) = (
                fields[fields.startIndex], fields[fields.startIndex + 1], fields[fields.startIndex + 2]
            )
            let url = bytes[bytes.startIndex..<(address.startIndex - 1)]
            guard Self.hasScheme(url), Self.isAddress(address), let time = Self.date(date) else { continue }
            return Line(
                url: url, address: String(decoding: address, as: UTF8.self), date: time, mediaType: type,
                blockLength: length, length: feed + 1 - bytes.startIndex)
        }
        return nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func hasScheme(_ url: ArraySlice<UInt8>) -> Bool {
        guard let colon = url.prefix(32).firstIndex(of: UInt8(ascii: ":")), colon > url.startIndex else { return false }
        return url[..<colon].allSatisfy {
            isLetter($0) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0)
        }
    }

    private static func isAddress(_ text: ArraySlice<UInt8>) -> Bool {
        !text.isEmpty && text.allSatisfy { ".:-%".utf8.contains($0) || PercentEncoding.hexValue($0) != nil }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }

    /// Reads a time of 14 digits, or of 8 to 12 as some writers have it; as in a WARC file.
    private static func date(_ digits: ArraySlice<UInt8>) -> String? {
        guard [8, 10, 12, 14].contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        let text = String(decoding: digits, as: UTF8.self) + String(repeating: "0", count: 14 - digits.count)
        let parts = [4, 2, 2, 2, 2, 2].reduce(into: (rest: Substring(text), parts: [Substring]())) { state, count in
            state.parts.append(state.rest.prefix(count))
            state.rest = state.rest.dropFirst(count)
        }.parts
        return parts[..<3].joined(separator: "-") + "T" + parts[3...].joined(separator: ":") + "Z"
    }
}
