// SPDX-License-Identifier: Apache-2.0

/// The character sets of HTTP field names and values.
package enum FieldText {
    /// Returns whether a text is a token (RFC 9110 section 5.6.2): a method, or the name of a field.
    package static func isToken(_ text: some Collection<UInt8>) -> Bool {
        !text.isEmpty && text.allSatisfy(isTokenByte)
    }

    /// Returns whether a text can be the value of a field (RFC 9110 section 5.5): no control characters but tabs.
    package static func isValue(_ text: some Sequence<UInt8>) -> Bool {
        text.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }

    /// Returns whether a byte is permitted in a token, such as a header's name (RFC 9110 section 5.6.2, `tchar`).
    package static func isTokenByte(_ byte: UInt8) -> Bool {
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
    /// The ASCII letters in lower case, other bytes unchanged.
    @inlinable package var asciiLowercased: [UInt8] { map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
}

extension StringProtocol {
    /// The text with ASCII letters in lower case, other characters unchanged.
    ///
    /// Names in HTTP and in URLs know no other letters, and Unicode would make an ASCII letter of some (the Kelvin sign
    /// of a `k`).
    @inlinable package var asciiLowercased: String {
        utf8.contains { (0x41...0x5A).contains($0) }
            ? String(decoding: utf8.asciiLowercased, as: UTF8.self) : String(self)
    }

    /// Returns whether this text is before another, byte by byte. `<` uses Unicode's canonical equivalence, which is slow.
    @inlinable package func precedesInBytes(_ other: some StringProtocol) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Returns whether two texts have the same bytes. `==` uses Unicode's canonical equivalence, which is slow.
    @inlinable package func hasSameBytes(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
