// SPDX-License-Identifier: Apache-2.0

/// An escaping of text from an archive or a command line for safe display.
package enum PrintableText {
    /// Escapes characters that could move the cursor, change the order of reading or end a line, as `\x1b` or `\u{202e}`.
    package static func escaped(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        // As bytes, for a hostile text may be long.
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if isHarmless(scalar) {
                result += scalar.utf8
            } else if scalar.value < 0x100 {
                result += (scalar.value < 0x10 ? "\\x0" : "\\x").utf8
                result += String(scalar.value, radix: 16).utf8
            } else {
                result += "\\u{\(String(scalar.value, radix: 16))}".utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Most text, without a look at its properties. Latin; CJK; Hangul; U+FFFD.
        case 0x20..<0x7F, 0xA1..<0xAD, 0xAE..<0x370, 0x4E00..<0x9FFD, 0xAC00..<0xD7A4, 0xFFFD: return true
        default: break
        }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }

    /// Returns the text truncated or padded to a width, for tables.
    package static func column(_ text: String, _ width: Int, rightAligned: Bool = false) -> String {
        let fill = String(repeating: " ", count: max(0, width - text.count))
        return rightAligned ? fill + text : text + fill
    }
}
