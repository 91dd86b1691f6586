// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveReplay

/// The style sheets of a page as text for its `style` elements, with the sheets that they import.
struct StyleSheetText {
    /// The number of sheets that may still be read, for the whole page.
    private var sheetsLeft = 64
    /// The length of sheets that may still be embedded, in bytes.
    private var bytesLeft = 4 << 20
    /// The number of rules that may still import, whether the sheet exists or not.
    private var importsLeft = 256

    /// The maximum depth of sheets that import one another.
    private static let deepest = 5
    /// The maximum length of one sheet, in bytes.
    private static let maximumSheetLength: UInt64 = 2 << 20
    /// The maximum length of an address, and of the URL of the sheet that has it, in bytes.
    private static let maximumAddressLength = 2048

    /// Returns the text; nil if the archives have no such sheet, or the page has reached its limit.
    mutating func text(of url: CanonicalURL, from responder: ReplayResponder) -> String? {
        sheet(url, responder, depth: 0)
    }

    /// Returns the text of a `style` element with its imports; nil if there are none.
    ///
    /// - Parameter url: the URL against which the imports are resolved: that of the base of the page.
    mutating func importing(_ text: String, at url: CanonicalURL, from responder: ReplayResponder) -> String? {
        guard text.contains("@import") else { return nil }
        return expand(text, url, responder, depth: 0)
    }

    /// Reads a sheet and its imports, and counts it.
    ///
    /// - Parameter depth: the number of sheets between it and the page; a sheet at a depth of 5 is left out, so that cycles end.
    /// - Returns: the text; nil for a URL that is not a style sheet, and beyond the limits.
    private mutating func sheet(_ url: CanonicalURL, _ responder: ReplayResponder, depth: Int) -> String? {
        guard depth < Self.deepest, sheetsLeft > 0 else { return nil }
        sheetsLeft -= 1
        guard let (type, bytes) = ArchivedResource.read(url, from: responder, atMost: Self.maximumSheetLength),
            type == "text/css", bytes.count <= bytesLeft
        else { return nil }
        bytesLeft -= bytes.count
        return expand(String(decoding: bytes, as: UTF8.self), url, responder, depth: depth)
    }

    /// Replaces the rules that import sheets, which precede all others (CSS Cascading and Inheritance, section 2), with the sheets.
    private mutating func expand(
        _ text: String, _ url: CanonicalURL, _ responder: ReplayResponder, depth: Int
    ) -> String {
        var result = ""
        var rest = Substring(text)
        if rest.first == "\u{FEFF}" { rest = rest.dropFirst() }
        while true {
            rest = rest.drop(while: \.isWhitespace)
            if rest.hasPrefix("/*"), let end = rest.firstRange(of: "*/") {
                rest = rest[end.upperBound...]
            } else if rest.hasPrefix("@charset"), let end = rest.firstIndex(of: ";") {
                rest = rest[rest.index(after: end)...]
            } else if String(rest.prefix(7)).asciiLowercased == "@import", let rule = ImportRule(rest) {
                rest = rule.rest
                importsLeft -= 1
                guard depth + 1 < Self.deepest, sheetsLeft > 0, importsLeft >= 0,
                    max(rule.address.utf8.count, url.bytes.count) <= Self.maximumAddressLength,
                    let target = try? url.resolving(rule.address),
                    let sheet = sheet(target, responder, depth: depth + 1)
                else { continue }
                Self.append(
                    rule.condition.isEmpty ? sheet : "@media \(Self.escaped(rule.condition)){\(sheet)}", to: &result)
            } else {
                Self.append(Self.escaped(rest), to: &result)
                return result
            }
        }
    }

    /// Appends a piece: the end of one and the beginning of the next must not form an end tag either.
    private static func append(_ piece: String, to result: inout String) {
        if result.utf8.last == UInt8(ascii: "<"), piece.utf8.first == UInt8(ascii: "/") { result += "\\" }
        result += piece
    }

    /// Returns the text in ASCII, without an end tag: CSS Syntax, section 4.3.7.
    private static func escaped(_ text: some StringProtocol) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if !scalar.isASCII {
                result += "\\\(String(scalar.value, radix: 16)) ".utf8
            } else if scalar == "/", result.last == UInt8(ascii: "<") {
                result += "\\/".utf8
            } else {
                result.append(UInt8(ascii: scalar))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// A rule `@import "address" condition;`.
private struct ImportRule {
    /// The address as the rule has it, without its quotation marks; escapes of CSS are not resolved.
    let address: String
    /// The media of the sheet; empty for all.
    let condition: Substring
    /// The text after the rule.
    let rest: Substring

    /// Parses a rule at the beginning of a text; nil for one that is malformed, or whose condition has a brace.
    init?(_ text: Substring) {
        var text = text.dropFirst(7).drop(while: \.isWhitespace)
        let isFunction = String(text.prefix(4)).asciiLowercased == "url("
        if isFunction { text = text.dropFirst(4).drop(while: \.isWhitespace) }
        if let mark = text.first, mark == "\"" || mark == "'" {
            let value = text.dropFirst()
            guard let end = value.firstIndex(of: mark) else { return nil }
            address = String(value[..<end])
            text = value[value.index(after: end)...]
        } else {
            guard isFunction, let end = text.firstIndex(of: ")") else { return nil }
            address = text[..<end].filter { !$0.isWhitespace }
            text = text[end...]
        }
        if isFunction {
            text = text.drop(while: \.isWhitespace)
            guard text.first == ")" else { return nil }
            text = text.dropFirst()
        }
        let end = text.firstIndex(of: ";") ?? text.endIndex
        condition = text[..<end].drop(while: \.isWhitespace)
        // Text that could end a block that is put around the sheet is not a condition.
        guard !condition.contains(where: { "{}".contains($0) }) else { return nil }
        rest = end < text.endIndex ? text[text.index(after: end)...] : ""
    }
}
