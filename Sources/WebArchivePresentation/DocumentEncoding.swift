// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchive

/// The encoding of the text of an HTML document.
package enum DocumentEncoding {
    /// The common encodings of pages that Foundation decodes, by labels of the Encoding standard.
    ///
    /// A label that is missing here is read as windows-1252.
    private static let encodings: [String: String.Encoding] = [
        "iso-8859-2": .isoLatin2, "latin2": .isoLatin2, "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251,
        "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254, "shift_jis": .shiftJIS, "sjis": .shiftJIS,
        "x-sjis": .shiftJIS,
    ]

    /// Returns the encoding that a `meta` declares, by its `charset` or in its `content`; nil if it declares none.
    static func label(declaredBy tag: HTMLTagScanner.Tag, in bytes: [UInt8]) -> String? {
        if let value = tag.value("charset") { return String(decoding: bytes[value], as: UTF8.self) }
        guard let value = tag.value("content") else { return nil }
        let content = String(decoding: bytes[value], as: UTF8.self).asciiLowercased
        guard let mark = content.firstRange(of: "charset=") else { return nil }
        return String(content[mark.upperBound...].prefix { $0 != ";" && $0 != " " })
    }

    /// Returns the encoding that the first `meta` with one declares in the beginning of a document; nil without any.
    static func label(declaredIn bytes: [UInt8]) -> String? {
        var scanner = HTMLTagScanner(bytes)
        // Browsers look for it in the first 1,024 bytes.
        while scanner.position < 1024, let tag = scanner.next() {
            if tag.isOf("meta"), let label = label(declaredBy: tag, in: bytes) { return label }
        }
        return nil
    }

    /// Decodes the text of a document in any of its usual encodings; windows-1252 if none is known, as in browsers.
    static func decoded(_ bytes: [UInt8], charset: () -> String?) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let label = charset().map { String($0.asciiLowercased.trimmingOptionalWhitespace) } ?? ""
        let encoding = encodings[label] ?? .windowsCP1252
        // A title that is cut in the middle of a character has some that cannot be decoded.
        return String(data: Data(bytes), encoding: encoding) ?? String(decoding: bytes, as: UTF8.self)
    }
}
