// SPDX-License-Identifier: Apache-2.0

/// The characters that HTTP field names and values are made of.
enum FieldText {
    /// Whether a byte can stand in a token (RFC 9110 section 5.6.2), such as a header's name.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

extension Sequence<UInt8> {
    /// ASCII letters in lower case, other bytes as they are.
    var fieldLowercased: [UInt8] { map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
}

extension String {
    /// ASCII letters in lower case, other characters as they are.
    var fieldLowercased: String { String(decoding: utf8.fieldLowercased, as: UTF8.self) }
}
