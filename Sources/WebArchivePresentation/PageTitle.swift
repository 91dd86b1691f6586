// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The title of a page, from its `title` element.
package enum PageTitle {
    /// The number of bytes of a document in which its title is searched.
    package static let maximumScannedLength = 16 << 10
    /// The maximum length of a title in the document, in bytes.
    private static let maximumTextLength = 2048
    /// The maximum number of Unicode scalars of a title.
    package static let maximumTitleLength = 300

    /// Returns the title in the beginning of a document; nil if there is none.
    ///
    /// - Parameter charset: a function that returns the charset of the archive; called only for a document that is not UTF-8.
    package static func title(in bytes: [UInt8], charset: () -> String?) -> String? {
        look(in: bytes, charset: charset).title
    }

    /// Returns the title in the beginning of a document, and the bytes that were scanned for it.
    ///
    /// The search ends at the `title`, at the `body`, or at a picture in SVG. The first encoding that a `meta` declares
    /// counts.
    ///
    /// - Parameters:
    ///   - bytes: the document, as far as it is to be searched.
    ///   - charset: a function that returns the charset of the archive, which takes precedence over that of the document.
    /// - Returns: the title, if there is one, and the position at which the search ended, in bytes.
    package static func look(in bytes: [UInt8], charset: () -> String?) -> (title: String?, scanned: Int) {
        var scanner = HTMLTagScanner(bytes)
        var declared: String?
        while let tag = scanner.next() {
            if tag.isOf("meta") {
                declared = declared ?? DocumentEncoding.label(declaredBy: tag, in: bytes)
            } else if tag.isOf("title"), !tag.isEnd {
                let title = tag.text.flatMap { text(of: bytes[$0], charset() ?? declared) }
                return (title, scanner.position)
            } else if tag.isOf("body") || tag.isOf("svg") {
                // After it a title is that of a picture.
                return (nil, scanner.position)
            }
        }
        return (nil, scanner.position)
    }

    /// Returns a title from its text in a document; nil for one of spaces.
    ///
    /// Runs of white space become one space.
    private static func text(of bytes: ArraySlice<UInt8>, _ charset: @autoclosure () -> String?) -> String? {
        let scalars = CharacterReferences.decoded(
            DocumentEncoding.decoded(Array(bytes.prefix(maximumTextLength)), charset: charset)
        ).unicodeScalars
        let words = scalars.split(whereSeparator: \.properties.isWhitespace).prefix(maximumTitleLength).map {
            String($0)
        }
        let title = String(
            String.UnicodeScalarView(words.joined(separator: " ").unicodeScalars.prefix(maximumTitleLength))
        )
        .streamSafe
        return title.isEmpty ? nil : title
    }

    /// Returns a text for comparison without regard to case, in any script.
    ///
    /// The mapping is that of lower case for each scalar, and so does not equate `ß` with `ss`.
    package static func folded(_ text: some StringProtocol) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return String(text).asciiLowercased }
        return text.unicodeScalars.map(\.properties.lowercaseMapping).joined()
    }
}
