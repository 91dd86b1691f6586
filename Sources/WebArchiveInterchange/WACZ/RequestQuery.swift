// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The body of a request in the form of a query, by which indexes distinguish requests to one URL.
///
/// It is the form of pywb's indexer: programs disagree about the values of JSON.
enum RequestQuery {
    /// The maximum length of a body that is read, and that of the query.
    static let maximumBodyLength: UInt64 = 1 << 20
    private static let maximumLength = 4096

    /// Returns the query; empty for an empty body.
    ///
    /// - Parameters:
    ///   - body: the body, or its beginning.
    ///   - type: the value of `Content-Type`.
    static func text(of body: [UInt8], type: String) -> String {
        guard !body.isEmpty else { return "" }
        var text: String?
        if type.hasPrefix("application/x-www-form-urlencoded") {
            text = String(validating: unescapedForm(body), as: UTF8.self)
        } else if type.hasPrefix("application/json") || type.hasPrefix("text/plain") {
            text = (try? JSONText.value(body)).map(flattened)
        }
        return String((text ?? "__wb_post_data=\(base64(body))").unicodeScalars.prefix(maximumLength))
    }

    private static func unescapedForm(_ body: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        PercentEncoding.appendDecoded(body.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }[...], to: &decoded)
        return decoded
    }

    /// Returns the leaves of a value by the names of their members; further ones of a name get a number.
    private static func flattened(_ value: JSONValue) -> String {
        var (pairs, counts, length) = ([String](), [String: Int](), 0)
        func add(_ value: JSONValue, _ name: String) {
            // Each leaf repeats its name.
            guard length <= maximumLength else { return }
            switch value {
            case .object(let members): for member in members { add(member.value, member.name) }
            case .array(let items): for item in items { add(item, name) }
            case .null: addLeaf(name, "None")
            case .bool(let value): addLeaf(name, value ? "True" : "False")
            case .integer(let value): addLeaf(name, String(value))
            case .double(let value): addLeaf(name, String(value))
            case .string(let text): addLeaf(name, text)
            }
        }
        func addLeaf(_ name: String, _ text: String) {
            guard !name.isEmpty else { return }
            counts[name, default: 0] += 1
            let number = counts[name, default: 1]
            let pair = "\(escaped(number == 1 ? name : "\(name).\(number)_"))=\(escaped(text))"
            pairs.append(pair)
            length += pair.utf8.count + 1
        }
        add(value, "")
        return pairs.joined(separator: "&")
    }

    /// Returns the form of a text in a query of HTML forms.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if ASCIISet.unreserved.contains(byte) {
                bytes.append(byte)
            } else if byte == UInt8(ascii: " ") {
                bytes.append(UInt8(ascii: "+"))
            } else {
                bytes += (byte < 0x10 ? "%0" : "%").utf8
                bytes += String(byte, radix: 16, uppercase: true).utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns bytes in Base64 (RFC 4648 section 4).
    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: min(bytes.count, maximumLength), by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let value = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[value >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
