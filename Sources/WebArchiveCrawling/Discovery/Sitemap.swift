// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// A sitemap: a list of pages, or of further sitemaps, in the forms of sitemaps.org and as text.
struct Sitemap {
    /// Whether the URLs are those of further sitemaps.
    let isIndex: Bool
    /// The URLs, absolute as sitemaps have them.
    private(set) var urls: [String] = []

    /// The protocol's limits: 50,000 URLs, each of less than 2,048 characters.
    private static let maximumCount = 50_000
    private static let maximumURLLength = 2_048
    /// The number of bytes that are read.
    static let maximumLength = 50 << 20

    /// Reads a sitemap that anyone may have written; other texts than URLs are passed over.
    init(_ bytes: [UInt8]) {
        let bytes = bytes.prefix(Self.maximumLength)
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
        let isXML = text.first { $0 > 0x20 } == UInt8(ascii: "<")
        isIndex = isXML && Self.find(Array("<sitemapindex".utf8), in: text.prefix(4_096)) != nil
        if isXML { readElements(text) } else { readLines(text) }
    }

    private mutating func readLines(_ text: ArraySlice<UInt8>) {
        for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            guard add(String(decoding: line, as: UTF8.self)) else { return }
        }
    }

    private mutating func readElements(_ text: ArraySlice<UInt8>) {
        let start = Array("<loc>".utf8)
        var rest = text
        // Each byte is looked at once or twice: no search begins again before where another one ended.
        while let begin = Self.find(start, in: rest) {
            rest = rest[(begin + start.count)...].drop { $0 <= 0x20 }
            let isLiteral = rest.starts(with: "<![CDATA[".utf8)
            if isLiteral { rest = rest.dropFirst(9) }
            guard let end = Self.find(isLiteral ? Array("]]>".utf8) : [UInt8(ascii: "<")], in: rest) else { return }
            let value = String(decoding: rest[..<end].prefix(6 * Self.maximumURLLength), as: UTF8.self)
            rest = rest[end...]
            guard add(isLiteral ? value : CharacterReferences.decoded(value)) else { return }
        }
    }

    /// Adds a URL; false once there are too many.
    private mutating func add(_ text: String) -> Bool {
        guard urls.count < Self.maximumCount else { return false }
        let text = text.trimmingOptionalWhitespace.filter { !$0.isNewline }
        if text.utf8.count < Self.maximumURLLength, text.hasPrefix("http://") || text.hasPrefix("https://") {
            urls.append(text)
        }
        return true
    }

    private static func find(_ word: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        var position = text.startIndex
        while let start = text[position...].firstIndex(of: word[0]) {
            if text[start...].starts(with: word) { return start }
            position = start + 1
        }
        return nil
    }
}
