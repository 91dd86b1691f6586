// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The text of a page for a search: that of its elements, without tags, comments, scripts and styles.
package enum PageText {
    /// The elements that do not end a line.
    private static let inlineElements: Set<String> = [
        "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd",
        "label", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
    ]
    /// The elements whose content a browser does not show.
    private static let hiddenElements: Set<String> = [
        "iframe", "noembed", "noframes", "script", "style", "title",
    ]

    /// Returns the text of a document: a line for each block, in which runs of white space are one space.
    ///
    /// It takes time in proportion to the document. Its title is not part of it.
    ///
    /// - Parameter charset: a function that returns the charset of the archive; called only for a document that is not UTF-8.
    package static func text(of document: [UInt8], charset: () -> String?) -> String {
        var bytes = document
        if String(validating: bytes, as: UTF8.self) == nil {
            bytes = Array(
                DocumentEncoding.decoded(bytes) { charset() ?? DocumentEncoding.label(declaredIn: document) }.utf8)
        }
        var lines = Lines()
        var scanner = HTMLTagScanner(bytes)
        var start = 0
        var isHidden = false
        while let tag = scanner.next() {
            if !isHidden { lines.append(bytes, start..<tag.range.lowerBound, without: scanner.passedOver) }
            let name = tag.name
            isHidden = tag.text != nil && hiddenElements.contains(name)
            if !inlineElements.contains(name) { lines.endLine() }
            start = tag.range.upperBound
        }
        if !isHidden { lines.append(bytes, start..<bytes.count, without: scanner.passedOver) }
        lines.endLine()
        return CharacterReferences.decoded(String(decoding: lines.bytes, as: UTF8.self))
    }

    /// The lines of a text.
    private struct Lines {
        private(set) var bytes: [UInt8] = []
        /// Whether white space comes before the next word of the line.
        private var isSpaced = false
        private var lineStart = 0

        /// Appends text of a document.
        ///
        /// - Parameter excluded: the ranges that are no text, in their order.
        mutating func append(_ document: [UInt8], _ range: Range<Int>, without excluded: [Range<Int>]) {
            var start = range.lowerBound
            for hole in excluded where hole.lowerBound >= start && hole.upperBound <= range.upperBound {
                append(document[start..<hole.lowerBound])
                start = hole.upperBound
            }
            append(document[start..<range.upperBound])
        }

        private mutating func append(_ text: ArraySlice<UInt8>) {
            for byte in text {
                if byte.isHTMLSpace {
                    isSpaced = true
                } else {
                    if isSpaced, bytes.count > lineStart { bytes.append(UInt8(ascii: " ")) }
                    isSpaced = false
                    bytes.append(byte)
                }
            }
        }

        mutating func endLine() {
            isSpaced = false
            guard bytes.count > lineStart else { return }
            bytes.append(UInt8(ascii: "\n"))
            lineStart = bytes.count
        }
    }
}
