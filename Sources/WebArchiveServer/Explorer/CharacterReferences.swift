// SPDX-License-Identifier: Apache-2.0

/// The character references in the text of an HTML document (HTML standard, section 13.5): the numeric ones, and the names that are common
/// in titles and addresses. Others stay as they stand.
enum CharacterReferences {
    private static let names: [Substring: Character] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "copy": "©", "reg": "®",
        "trade": "™", "ndash": "–", "mdash": "—", "hellip": "…", "middot": "·", "bull": "•", "laquo": "«",
        "raquo": "»", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "sect": "§", "para": "¶", "deg": "°",
        "times": "×", "rarr": "→", "larr": "←", "auml": "ä", "ouml": "ö", "uuml": "ü", "Auml": "Ä", "Ouml": "Ö",
        "Uuml": "Ü", "szlig": "ß", "eacute": "é", "egrave": "è", "agrave": "à", "ccedil": "ç", "ntilde": "ñ",
    ]
    /// Characters between `&` and `;` of a reference.
    private static let longestName = 10

    static func decoded(_ text: some StringProtocol) -> String {
        var result = ""
        var rest = Substring(text)
        while let mark = rest.firstIndex(of: "&") {
            result += rest[..<mark]
            rest = rest[rest.index(after: mark)...]
            let name = rest.prefix(longestName).prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "#") }
            guard let value = character(name), rest[name.endIndex...].first == ";" else {
                result.append("&")
                continue
            }
            result.append(value)
            rest = rest[rest.index(after: name.endIndex)...]
        }
        return result + rest
    }

    private static func character(_ name: Substring) -> Character? {
        guard name.first == "#" else { return names[name] }
        let digits = name.dropFirst()
        let number = ["x", "X"].contains(digits.first) ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
