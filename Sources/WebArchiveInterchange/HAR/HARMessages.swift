// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// The forms in which HAR files have the parts of messages.
enum HARMessages {
    /// The maximum length of the fields of a message, in bytes: a value of many lines repeats the name.
    private static let maximumFieldsLength = 1 << 20

    /// Returns the header fields of a message.
    ///
    /// Pseudo-header fields of HTTP/2 (RFC 9113 section 8.3) are none. Browsers join fields of one name by a line feed, which no value can have.
    ///
    /// - Throws: `damaged` for more fields than the format can hold, and for more than 1 MiB of them.
    static func fields(_ message: JSONValue) throws(ArchiveError) -> HeaderFields {
        var fields: [HeaderField] = []
        var length = 0
        for item in message["headers"]?.items ?? [] {
            guard let name = item["name"]?.exactText, !name.isEmpty, !name.utf8.starts(with: ":".utf8) else { continue }
            let value = item["value"]?.exactText ?? ""
            let nameBytes = Array(name.utf8)
            for line in value.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
                let bytes = line.last == 0x0D ? line.dropLast() : line
                length += nameBytes.count + bytes.count
                guard fields.count < FormatLimits.maximumFieldCount, length <= Self.maximumFieldsLength else {
                    throw .damaged(
                        "a message of more than \(FormatLimits.maximumFieldCount) header fields or 1 MiB of them")
                }
                fields.append(HeaderField(nameBytes: nameBytes, valueBytes: Array(bytes)))
            }
        }
        return HeaderFields(fields)
    }

    /// Returns a version of HTTP as status lines have it; nil for an unknown one.
    ///
    /// Programs write `HTTP/1.1`, `http/2.0`, `h2`, `h3-29` and more.
    static func version(_ message: JSONValue) -> String? {
        guard let text = message["httpVersion"]?.text, text.utf8.count <= 16 else { return nil }
        switch text.asciiLowercased {
        case "h2", "h2c", "http/2", "http/2.0": return "HTTP/2"
        case "http/3", "http/3.0": return "HTTP/3"
        case let text where text == "h3" || text.utf8.starts(with: "h3-".utf8): return "HTTP/3"
        case "http/1.1", "http/1.0", "http/0.9": return String(decoding: text.utf8.map(Self.upper), as: UTF8.self)
        default: return nil
        }
    }

    private static func upper(_ byte: UInt8) -> UInt8 { (0x61...0x7A).contains(byte) ? byte - 0x20 : byte }

    /// Returns a time; nil for an unknown one. One without a zone is one of UTC.
    static func time(_ value: JSONValue?) -> ArchiveTime? {
        guard var text = value?.text, (19...64).contains(text.utf8.count) else { return nil }
        let bytes = Array(text.utf8)
        let tail = bytes.suffix(5)
        if let sign = tail.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            tail.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
        {
            text =
                String(decoding: bytes.dropLast(2), as: UTF8.self) + ":"
                + String(decoding: bytes.suffix(2), as: UTF8.self)
        }
        return (Timestamp.nanoseconds(text) ?? Timestamp.nanoseconds(text + "Z")).flatMap(ArchiveTime.init)
    }

    /// Returns the bytes of a content.
    ///
    /// - Throws: `damaged` if the text is not in the encoding that it claims.
    static func bytes(_ content: HAREntry.Content, encoding: JSONValue?) throws(ArchiveError) -> SpooledBody {
        guard encoding?.text?.asciiLowercased == "base64" else { return content.text }
        let body = SpooledBody()
        var decoder = Base64Decoder()
        try content.text.forEachBuffer { text throws(ArchiveError) in
            try decoder.decode(text) { bytes throws(ArchiveError) in try body.append(bytes) }
        }
        try decoder.finish { bytes throws(ArchiveError) in try body.append(bytes) }
        body.finish()
        return body
    }

    /// Returns the content of a form from its parameters (WHATWG URL, "application/x-www-form-urlencoded serializing"); nil without any.
    static func form(_ content: JSONValue) -> [UInt8]? {
        let params = content["params"]?.items ?? []
        let type = ContentTypeValue.parts(of: content["mimeType"]?.text ?? "").mediaType
        guard !params.isEmpty, type == nil || type == "application/x-www-form-urlencoded" else { return nil }
        var bytes: [UInt8] = []
        for param in params {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            append(param["name"]?.exactText ?? "", to: &bytes)
            bytes.append(UInt8(ascii: "="))
            append(param["value"]?.exactText ?? "", to: &bytes)
        }
        return bytes
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: " "): bytes.append(UInt8(ascii: "+"))
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                PercentEncoding.appendHex(byte, to: &bytes)
            }
        }
    }
}

extension JSONValue {
    /// The number as an integer; nil for other values, and for one of 64 bits or more. Some programs write it as a string.
    var wholeNumber: Int? {
        switch self {
        case .integer(let number): Int(number)
        case .double(let number): Int(exactly: number.rounded())
        case .string(let text): Int(text)
        default: nil
        }
    }
}
