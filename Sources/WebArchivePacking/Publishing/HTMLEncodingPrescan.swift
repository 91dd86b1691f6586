// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The prescan of an HTML document for the encoding it declares.
///
/// Origin: WHATWG HTML standard, section 13.2.3.2, "prescan a byte stream to determine its encoding",
/// whose steps the functions follow one by one. The position only grows, so the time is linear.
struct HTMLEncodingPrescan {
    /// The examined bytes, the first 1024 of the document.
    private let bytes: [UInt8]
    /// The offset of the examined byte, which may be beyond the end after a comment.
    private var position = 0

    /// Finds the label that a document declares; nil if there is none.
    ///
    /// - Parameter bytes: the document's first bytes, of which the standard reads at most 1024.
    static func label(in bytes: [UInt8]) -> String? {
        var prescan = HTMLEncodingPrescan(bytes: bytes)
        return prescan.metaLabel()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The examined byte; nil at the end.
    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Returns the result of "prescan a byte stream to determine its encoding" (WHATWG HTML section 13.2.3.2): looks for a `meta` element
    /// outside comments and other tags.
    private mutating func metaLabel() -> String? {
        while let byte = current {
            if byte == UInt8(ascii: "<") {
                let next = position + 1 < bytes.count ? bytes[position + 1] : 0
                if starts(with: "<!--") {
                    // The dashes of the start can be those of the end, too: <!-->.
                    position += 2
                    while current != nil, !starts(with: "-->") { position += 1 }
                    position += 2
                } else if startsMeta {
                    position += 5
                    if let label = metaElementLabel() { return label }
                    // Running out of bytes ends the prescan; the loop sees that by itself.
                } else if next.isASCIILetter || (next == UInt8(ascii: "/") && isLetter(at: position + 2)) {
                    while let byte = current, !EncodingLabels.isSpace(byte), byte != UInt8(ascii: ">") { position += 1 }
                    while attribute() != nil {}
                } else if next == UInt8(ascii: "!") || next == UInt8(ascii: "/") || next == UInt8(ascii: "?") {
                    while let byte = current, byte != UInt8(ascii: ">") { position += 1 }
                }
            }
            position += 1
        }
        return nil
    }

    /// Returns the label that the attributes of a `meta` element declare. It starts after the element's name.
    private mutating func metaElementLabel() -> String? {
        enum Charset {
            case notSeen, failure
            case label(String)
        }
        var names: Set<[UInt8]> = []
        var gotPragma = false
        var needPragma: Bool?
        var charset = Charset.notSeen
        while let found = attribute() {
            let (name, value) = (text(found.name), text(found.value))
            guard names.insert(name).inserted else { continue }
            switch String(decoding: name, as: UTF8.self) {
            case "http-equiv":
                if value == Array("content-type".utf8) { gotPragma = true }
            case "content":
                if case .notSeen = charset, let label = Self.label(inContent: value) {
                    charset = .label(label)
                    needPragma = true
                }
            case "charset":
                charset = EncodingLabels.known(value).map { .label($0) } ?? .failure
                needPragma = false
            default:
                break
            }
        }
        guard current != nil, let needPragma, gotPragma || !needPragma else { return nil }
        guard case .label(let label) = charset else { return nil }
        // Bytes that were read as ASCII cannot be UTF-16.
        if label.hasPrefix("utf-16") { return "utf-8" }
        return label == "x-user-defined" ? "windows-1252" : label
    }

    /// Returns the result of "get an attribute": nil at the end of the tag, which is then the current byte, or of the bytes.
    private mutating func attribute() -> (name: Range<Int>, value: Range<Int>)? {
        while let byte = current, EncodingLabels.isSpace(byte) || byte == UInt8(ascii: "/") { position += 1 }
        guard let first = current, first != UInt8(ascii: ">") else { return nil }
        let nameStart = position
        while let byte = current {
            if byte == UInt8(ascii: "="), position > nameStart { break }
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") {
                return (nameStart..<position, position..<position)
            }
            if EncodingLabels.isSpace(byte) { break }
            position += 1
        }
        let name = nameStart..<position
        skipSpace()
        guard let equals = current else { return nil }
        guard equals == UInt8(ascii: "=") else { return (name, position..<position) }
        position += 1
        skipSpace()
        guard let start = current else { return nil }
        if start == UInt8(ascii: "\"") || start == UInt8(ascii: "'") {
            position += 1
            let valueStart = position
            while let byte = current, byte != start { position += 1 }
            guard current != nil else { return nil }
            position += 1
            return (name, valueStart..<position - 1)
        }
        let valueStart = position
        while let byte = current {
            if EncodingLabels.isSpace(byte) || byte == UInt8(ascii: ">") { return (name, valueStart..<position) }
            position += 1
        }
        return nil
    }

    /// Returns the bytes of a name or a value, in lower case.
    private func text(_ range: Range<Int>) -> [UInt8] { bytes[range].map(\.lowercasedASCII) }

    /// Returns the result of "extracting a character encoding from a meta element" (section 2.7.4). In lower case.
    static func label(inContent content: [UInt8]) -> String? {
        let word = Array("charset".utf8)
        var rest = content[...]
        while !rest.isEmpty {
            guard rest.starts(with: word) else {
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(word.count).drop(while: EncodingLabels.isSpace)
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: EncodingLabels.isSpace)
            guard let quote = rest.first else { return nil }
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                let text = rest.dropFirst()
                guard let end = text.firstIndex(of: quote) else { return nil }
                return EncodingLabels.known(text[..<end])
            }
            return EncodingLabels.known(rest.prefix { !EncodingLabels.isSpace($0) && $0 != UInt8(ascii: ";") })
        }
        return nil
    }

    /// Advances over ASCII whitespace, up to another byte or the end.
    private mutating func skipSpace() {
        while let byte = current, EncodingLabels.isSpace(byte) { position += 1 }
    }

    /// Returns whether the bytes from the position on begin with a text, in the same case.
    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    /// Whether the bytes start with `<meta` in any case and a byte that ends the name.
    private var startsMeta: Bool {
        guard bytes.count - position > 5 else { return false }
        let name = bytes[(position + 1)..<(position + 5)]
        let end = bytes[position + 5]
        return zip(name, "meta".utf8).allSatisfy { $0.lowercasedASCII == $1 }
            && (EncodingLabels.isSpace(end) || end == UInt8(ascii: "/"))
    }

    /// Returns whether the byte at an offset is an ASCII letter; false beyond the end.
    private func isLetter(at index: Int) -> Bool { index < bytes.count && bytes[index].isASCIILetter }
}
