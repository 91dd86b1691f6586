// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchivePresentation

/// A page without start tags of the elements for which browsers open connections ahead of a load, whether or not a policy refuses the load.
///
/// Content Security Policy governs loads, not the connections for them (`preconnect`, `dns-prefetch`, frames in Chromium). The tags
/// are found by their bytes, at any position: a browser may parse as a tag the bytes that a scanner parsed as text (the content of `style` in an
/// SVG image, comments in scripts, sections of CDATA).
enum InertMarkup {
    /// The names of the elements. A preview needs none of them.
    static let elements: Set<String> = [
        "link", "iframe", "frame", "fencedframe", "portal", "object", "embed", "applet",
    ]

    /// The names as bytes, in lower case.
    private static let names = elements.map { Array($0.utf8) }

    /// Returns the bytes of a page with the same meaning in every encoding of browsers (Encoding standard), as far as tags are concerned. Without
    /// NUL there is no `<` in UTF-16, and without the escape character ISO-2022-JP is ASCII; all other encodings are supersets of ASCII.
    ///
    /// A page that is in one of the two becomes UTF-8, with the byte order mark, which counts for more than any label.
    static func unambiguous(_ page: [UInt8]) -> [UInt8] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if let text = utf16Text(page) { return mark + withoutControls(Array(text.utf8)) }
        if page.contains(escape), page.allSatisfy({ $0 < 0x80 && $0 != 0 }),
            let text = String(data: Data(page), encoding: .iso2022JP)
        {
            return mark + withoutControls(Array(text.utf8))
        }
        return withoutControls(page)
    }

    /// Returns the page with `&lt;` in place of the `<` of such a start tag, which is equivalent in attributes and titles, and text everywhere else.
    static func escaped(_ page: [UInt8]) -> [UInt8] {
        // Text that was put into a page may have characters that it had not.
        var rest = withoutControls(page)[...]
        var result: [UInt8] = []
        result.reserveCapacity(rest.count)
        while let mark = rest.firstIndex(of: UInt8(ascii: "<")) {
            result += rest[..<mark]
            rest = rest[(mark + 1)...]
            if isName(rest) { result += "&lt;".utf8 } else { result.append(UInt8(ascii: "<")) }
        }
        return result + rest
    }

    /// Returns whether text begins with the name of such an element, and not of one that has more letters (`frameset`).
    private static func isName(_ text: ArraySlice<UInt8>) -> Bool {
        names.contains { name in
            guard text.prefix(name.count).elementsEqual(name, by: { $0 | 0x20 == $1 }) else { return false }
            guard let next = text.dropFirst(name.count).first else { return true }
            return next.isHTMLSpace || next == UInt8(ascii: "/") || next == UInt8(ascii: ">")
        }
    }

    // MARK: - Encodings

    /// The character that begins a change of the character set in ISO-2022-JP.
    private static let escape: UInt8 = 0x1B

    /// Returns the bytes without NUL and the escape character; a page without them is not copied.
    private static func withoutControls(_ bytes: [UInt8]) -> [UInt8] {
        bytes.contains(0) || bytes.contains(escape) ? bytes.filter { $0 != 0 && $0 != escape } : bytes
    }

    /// Returns the text of a page that begins with a byte order mark of UTF-16, or with two characters of ASCII in it.
    ///
    /// Without either, the page is not read as UTF-16. A last byte that is half of a unit is dropped.
    private static func utf16Text(_ page: [UInt8]) -> String? {
        let isBigEndian: Bool
        if page.starts(with: [0xFE, 0xFF]) {
            isBigEndian = true
        } else if page.starts(with: [0xFF, 0xFE]) {
            isBigEndian = false
        } else {
            switch page.prefix(4).map({ $0 == 0 }) {
            case [true, false, true, false]: isBigEndian = true
            case [false, true, false, true]: isBigEndian = false
            default: return nil
            }
        }
        let units = stride(from: 0, to: page.count - 1, by: 2).map { place in
            let (first, second) = (UInt16(page[place]), UInt16(page[place + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        return String(decoding: units.first == 0xFEFF ? units[1...] : units[...], as: UTF16.self)
    }
}
