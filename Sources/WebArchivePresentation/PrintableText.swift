// SPDX-License-Identifier: Apache-2.0

/// Text from an archive or a command line, made safe to show.
package enum PrintableText {
    /// Replaces what could move the cursor, change the order of reading or end a line by `\x1b` or `\u{202e}`.
    package static func escaped(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if isHarmless(scalar) {
                result.unicodeScalars.append(scalar)
            } else if scalar.value < 0x100 {
                result += scalar.value < 0x10 ? "\\x0" : "\\x"
                result += String(scalar.value, radix: 16)
            } else {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }

    /// The text cut or filled up to a width, for tables.
    package static func column(_ text: String, _ width: Int, rightAligned: Bool = false) -> String {
        let fill = String(repeating: " ", count: max(0, width - text.count))
        return rightAligned ? fill + text : text + fill
    }
}
