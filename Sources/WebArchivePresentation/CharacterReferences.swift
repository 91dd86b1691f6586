// SPDX-License-Identifier: Apache-2.0

/// The character references in the text of an HTML document (HTML standard, section 13.5): the numeric ones, and the common names
/// in titles and addresses. Others do not change.
package enum CharacterReferences {
    /// The values of the named references, which are distinguished by case.
    private static let names: [Substring: Character] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "copy": "©", "reg": "®",
        "trade": "™", "ndash": "–", "mdash": "—", "hellip": "…", "middot": "·", "bull": "•", "laquo": "«",
        "raquo": "»", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "sect": "§", "para": "¶", "deg": "°",
        "times": "×", "rarr": "→", "larr": "←", "auml": "ä", "ouml": "ö", "uuml": "ü", "Auml": "Ä", "Ouml": "Ö",
        "Uuml": "Ü", "szlig": "ß", "eacute": "é", "egrave": "è", "agrave": "à", "ccedil": "ç", "ntilde": "ñ",
    ]
    /// The maximum length of a reference after `&`, with the `;`.
    private static let maximumNameLength = 11

    /// Returns the text with the values in place of the references. It takes time in proportion to the text.
    ///
    /// A reference without its semicolon is not one, other than in browsers, and stays as text.
    package static func decoded(_ text: some StringProtocol) -> String {
        var result = ""
        var rest = Substring(text)
        // By bytes: a text of marks alone is one character, which takes quadratic time to compare.
        while let mark = rest.utf8.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<mark]
            rest = rest[rest.utf8.index(after: mark)...]
            let end = rest.utf8.prefix(maximumNameLength).firstIndex { !isOfName($0) } ?? rest.endIndex
            guard end < rest.endIndex, rest.utf8[end] == UInt8(ascii: ";"), let value = character(rest[..<end]) else {
                result.append("&")
                continue
            }
            result.append(value)
            rest = rest[rest.utf8.index(after: end)...]
        }
        return result + rest
    }

    /// Returns whether a byte may be in a reference after `&`: an ASCII letter, a digit, or `#`.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "#"): true
        default: false
        }
    }

    /// Returns the character of a reference without `&` and `;`; nil for an unknown name, and for a number that is not
    /// a Unicode scalar.
    ///
    /// Numbers are decimal, or hexadecimal after `x`. They are not mapped from windows-1252, other than in browsers.
    private static func character(_ name: Substring) -> Character? {
        guard name.first == "#" else { return names[name] }
        let digits = name.dropFirst()
        let number = ["x", "X"].contains(digits.first) ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
