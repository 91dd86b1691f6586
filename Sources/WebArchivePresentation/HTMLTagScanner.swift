// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A scanner that finds the tags of an HTML document as a browser without scripts does (HTML standard, section 13.2.5), in one pass.
///
/// It recognises comments and elements whose content is text, but not the tree. Every step advances, so that it takes time in proportion
/// to the document.
package struct HTMLTagScanner {
    /// A start tag or an end tag. Its names are created on access: a document may have thousands of unused tags.
    package struct Tag {
        /// Whether it is an end tag, `</name>`.
        package let isEnd: Bool
        /// The range from `<` to after `>`.
        package let range: Range<Int>
        /// The text between the tags, for an element whose content is text only.
        package fileprivate(set) var text: Range<Int>?
        /// The range of the name, in any case of letters.
        fileprivate let nameRange: Range<Int>
        /// A scanner positioned after the name.
        fileprivate let scanner: HTMLTagScanner

        /// The name in lower case.
        package var name: String { scanner.text(nameRange) }

        /// Returns whether this is the tag of an element.
        ///
        /// - Parameter name: the name in lower case.
        package func isOf(_ name: StaticString) -> Bool { name.withUTF8Buffer { scanner.isText(nameRange, $0) } }

        /// The effective attributes.
        ///
        /// They are in the order of the document, at most 64. A name that occurs again is listed again.
        package var attributes: [Attribute] {
            var scanner = scanner
            var attributes: [Attribute] = []
            while attributes.count < HTMLTagScanner.maximumAttributeCount, let found = scanner.nextAttribute() {
                attributes.append(Attribute(name: scanner.text(found.name), value: found.value))
            }
            return attributes
        }

        /// Returns the value of an attribute, of which the first one of a name counts.
        ///
        /// - Parameter name: the name in lower case.
        /// - Returns: the range of the value in the document; nil without the attribute, or if it comes after the first
        ///   64.
        package func value(_ name: StaticString) -> Range<Int>? {
            var scanner = scanner
            for _ in 0..<HTMLTagScanner.maximumAttributeCount {
                guard let found = scanner.nextAttribute() else { return nil }
                if name.withUTF8Buffer({ scanner.isText(found.name, $0) }) { return found.value }
            }
            return nil
        }
    }

    /// An attribute of a tag.
    package struct Attribute {
        /// The name in lower case.
        package let name: String
        /// The value without quotation marks, with unresolved references.
        package let value: Range<Int>
    }

    /// The document. Tags share it, so that they cost no copy.
    private let bytes: [UInt8]
    /// The position up to which the document has been scanned, in bytes.
    package private(set) var position = 0
    /// The ranges of the comments, declarations and unfinished tags before the last tag, and after the tag before it.
    private(set) var passedOver: [Range<Int>] = []

    /// The maximum number of attributes of one tag.
    private static let maximumAttributeCount = 64
    /// The elements whose content is text (section 13.2.5.1 and the following ones); without scripts, `noscript` is not among them.
    private static let textElements = [
        "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes",
    ].map { Array($0.utf8) }

    /// Creates a scanner at the beginning of a document, whose encoding must be a superset of ASCII.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next tag; nil at the end.
    ///
    /// After the start tag of an element whose content is text, the next tag is its end tag, and the content is the
    /// tag's `text`. A `<` that begins no tag is passed over.
    package mutating func next() -> Tag? {
        passedOver.removeAll(keepingCapacity: true)
        while let start = find("<", from: position) {
            position = start + 1
            guard position < bytes.count else { return nil }
            switch bytes[position] {
            case UInt8(ascii: "!") where isAt("!--", position):
                position = endOfComment()
                passedOver.append(start..<position)
            case UInt8(ascii: "!"), UInt8(ascii: "?"):
                position = find(">", from: position).map { $0 + 1 } ?? bytes.count
                passedOver.append(start..<position)
            case UInt8(ascii: "/"):
                position += 1
                if let tag = tag(from: start, isEnd: true) { return tag }
            default:
                if let tag = tag(from: start, isEnd: false) { return tag }
            }
        }
        position = bytes.count
        return nil
    }

    /// Returns the position after a comment, from the exclamation mark with which it begins (sections 13.2.5.43 to 13.2.5.52): `-->` and `--!>` end
    /// it. The hyphens of its beginning count for the former, so that `<!-->` and `<!--->` are whole.
    private func endOfComment() -> Int {
        var place = position + 3
        while let end = bytes[place...].firstIndex(of: UInt8(ascii: ">")) {
            if isAt("--", end - 2) || end - 3 >= position + 3 && isAt("--!", end - 3) { return end + 1 }
            place = end + 1
        }
        return bytes.count
    }

    /// Reads a tag; nil if there is none, or it does not end.
    ///
    /// - Parameters:
    ///   - start: the position of the `<`.
    ///   - isEnd: whether the position is after `</`, and not after `<`.
    private mutating func tag(from start: Int, isEnd: Bool) -> Tag? {
        guard position < bytes.count, bytes[position].isASCIILetter else { return nil }
        let nameStart = position
        skip { !$0.isHTMLSpace && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
        let name = nameStart..<position
        let behindName = self
        while nextAttribute() != nil {}
        guard position < bytes.count else {
            passedOver.append(start..<bytes.count)
            return nil
        }
        position += 1
        var tag = Tag(isEnd: isEnd, range: start..<position, nameRange: name, scanner: behindName)
        if !isEnd, Self.textElements.contains(where: { $0.withUnsafeBufferPointer { isText(name, $0) } }) {
            tag.text = text(behind: name)
        }
        return tag
    }

    /// Reads one attribute (section 13.2.5.32 and the following ones); nil at the end of the tag. One without `=` has an empty value.
    private mutating func nextAttribute() -> (name: Range<Int>, value: Range<Int>)? {
        skip { $0.isHTMLSpace || $0 == UInt8(ascii: "/") }
        guard position < bytes.count, bytes[position] != UInt8(ascii: ">") else { return nil }
        // An equals sign in front is part of the name.
        let first = position
        position += 1
        skip { !$0.isHTMLSpace && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "=") }
        let name = first..<position
        let end = position
        skip { $0.isHTMLSpace }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else {
            position = end
            return (name, end..<end)
        }
        position += 1
        skip { $0.isHTMLSpace }
        guard position < bytes.count else { return (name, position..<position) }
        let mark = bytes[position]
        if mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'") {
            let start = position + 1
            let end = bytes[start...].firstIndex(of: mark) ?? bytes.count
            position = min(end + 1, bytes.count)
            return (name, start..<end)
        }
        let start = position
        skip { !$0.isHTMLSpace && $0 != UInt8(ascii: ">") }
        return (name, start..<position)
    }

    /// Returns the text up to the end tag of the name that is in a range, before which the scanner continues.
    private mutating func text(behind name: Range<Int>) -> Range<Int> {
        let start = position
        while let found = find("</", from: position) {
            position = found + 2
            let end = position + name.count
            if end <= bytes.count, isSameText(position..<end, name),
                end == bytes.count || bytes[end].isHTMLSpace || bytes[end] == UInt8(ascii: ">")
                    || bytes[end] == UInt8(ascii: "/")
            {
                position = found
                return start..<found
            }
        }
        position = bytes.count
        return start..<bytes.count
    }

    // MARK: - Bytes

    /// Advances as long as bytes satisfy a condition, at most to the end.
    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while position < bytes.count, isSkipped(bytes[position]) { position += 1 }
    }

    /// Returns the text in lower case; of a name longer than any known one, the beginning.
    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range].prefix(100).map(\.lowercasedASCII), as: UTF8.self)
    }

    /// Returns whether a text in lower case is in a range, in any case.
    private func isText(_ range: Range<Int>, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        range.count == text.count && zip(range, text).allSatisfy { bytes[$0].lowercasedASCII == $1 }
    }

    /// Returns whether two ranges of the same length have the same text, without regard to the case of ASCII letters.
    private func isSameText(_ range: Range<Int>, _ other: Range<Int>) -> Bool {
        zip(range, other).allSatisfy { bytes[$0].lowercasedASCII == bytes[$1].lowercasedASCII }
    }

    /// Returns whether a text begins at a position, which must not be beyond the end.
    private func isAt(_ text: StaticString, _ place: Int) -> Bool {
        text.withUTF8Buffer { bytes[place...].starts(with: $0) }
    }

    /// Returns the position of a text from a position on; nil if it does not occur any more.
    private func find(_ text: StaticString, from start: Int) -> Int? {
        text.withUTF8Buffer { text in
            var place = start
            while place < bytes.count, let found = bytes[place...].firstIndex(of: text[0]) {
                if bytes[found...].starts(with: text) { return found }
                place = found + 1
            }
            return nil
        }
    }
}

extension UInt8 {
    /// Whether the byte is a space by section 13.2.5.32: tab, line feed, form feed, carriage return, space.
    package var isHTMLSpace: Bool {
        switch self {
        case 0x09, 0x0A, 0x0C, 0x0D, 0x20: true
        default: false
        }
    }
}
