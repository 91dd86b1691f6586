// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The detection of the charset that text content declares, for the `charset` parameter of its media type.
///
/// The result is a label as the content has it, in lower case, and one that browsers know (WHATWG
/// Encoding standard, section 4.2). Labels they do not know count as not declared.
package enum CharsetDetection {
    /// The number of bytes at the start in which a declaration is searched (WHATWG HTML section
    /// 13.2.3.2, CSS Syntax section 3.2).
    package static let prefixLength = 1_024

    /// Returns the charset of content: the declared one, or else `utf-8` if the bytes are valid UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: the content or a part from its start, of any length.
    ///   - mediaType: the content's media type without parameters, in any case.
    ///   - isComplete: whether `bytes` is all of the content. If not, a character may be cut at the end.
    /// - Returns: the label in lower case; nil if it is unknown, or the type is not text.
    package static func charset(of bytes: RawSpan, mediaType: String, isComplete: Bool) -> String? {
        guard MediaTypes.isText(mediaType) else { return nil }
        if let declared = declaredCharset(in: bytes, mediaType: mediaType) { return declared }
        return isUTF8(bytes, isComplete: isComplete) ? "utf-8" : nil
    }

    /// Returns the charset that content declares.
    ///
    /// A byte order mark (UTF-8, UTF-16) comes first. HTML is prescanned for `meta` elements, XML for
    /// its declaration (RFC 7303 section 3, XML 1.0 appendix F), CSS for `@charset` (CSS Syntax section
    /// 3.2). A declaration in ASCII that says UTF-16 means UTF-8, as these standards have it.
    ///
    /// - Parameters:
    ///   - bytes: the content from its start, of which at most ``prefixLength`` bytes are read.
    ///   - mediaType: the content's media type without parameters, in any case.
    /// - Returns: The label in lower case, or nil if none is declared.
    package static func declaredCharset(in bytes: RawSpan, mediaType: String) -> String? {
        let prefix = bytes.withUnsafeBytes { Array($0.prefix(prefixLength)) }
        if prefix.starts(with: [0xEF, 0xBB, 0xBF]) { return "utf-8" }
        if prefix.starts(with: [0xFE, 0xFF]) { return "utf-16be" }
        if prefix.starts(with: [0xFF, 0xFE]) { return "utf-16le" }
        let type = mediaType.asciiLowercased
        if type == "text/html" || MediaTypes.isXML(type) {
            // The start of an XML declaration in UTF-16 without a mark.
            if prefix.starts(with: [0x3C, 0x00, 0x3F, 0x00, 0x78, 0x00]) { return "utf-16le" }
            if prefix.starts(with: [0x00, 0x3C, 0x00, 0x3F, 0x00, 0x78]) { return "utf-16be" }
            if type == "text/html", let label = HTMLEncodingPrescan.label(in: prefix) { return label }
            return xmlLabel(in: prefix)
        }
        return type == "text/css" ? cssLabel(in: prefix) : nil
    }

    /// Returns the result of "get an XML encoding" (WHATWG HTML section 13.2.3.2), with which the prescan of HTML ends, too.
    private static func xmlLabel(in bytes: [UInt8]) -> String? {
        guard bytes.starts(with: "<?xml".utf8), bytes.contains(UInt8(ascii: ">")) else { return nil }
        let word = Array("encoding".utf8)
        var rest = bytes[...]
        while !rest.starts(with: word) {
            guard !rest.isEmpty else { return nil }
            rest = rest.dropFirst()
        }
        rest = rest.dropFirst(word.count).drop { $0 <= 0x20 }
        guard rest.popFirst() == UInt8(ascii: "=") else { return nil }
        rest = rest.drop { $0 <= 0x20 }
        guard let quote = rest.popFirst(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        guard let end = rest.firstIndex(of: quote) else { return nil }
        let label = rest[..<end]
        guard label.allSatisfy({ $0 > 0x20 }) else { return nil }
        return EncodingLabels.known(label).map { $0.hasPrefix("utf-16") ? "utf-8" : $0 }
    }

    /// Returns the result of "determine the fallback encoding" (CSS Syntax section 3.2).
    private static func cssLabel(in bytes: [UInt8]) -> String? {
        let start = Array("@charset \"".utf8)
        guard bytes.starts(with: start) else { return nil }
        let rest = bytes.dropFirst(start.count)
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")), rest[end...].starts(with: "\";".utf8) else {
            return nil
        }
        return EncodingLabels.known(rest[..<end]).map { $0.hasPrefix("utf-16") ? "utf-8" : $0 }
    }

    /// Returns whether bytes are well-formed UTF-8 (Unicode 16, table 3-7), except for the end if not complete.
    static func isUTF8(_ bytes: RawSpan, isComplete: Bool) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var index = 0
            while index < buffer.count {
                // Eight bytes of ASCII at once: the most common content.
                if index + 8 <= buffer.count,
                    buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index += 8
                    continue
                }
                let lead = buffer[index]
                index += 1
                if lead < 0x80 { continue }
                guard let rest = continuation(of: lead) else { return false }
                var range = rest.first
                for _ in 0..<rest.count {
                    guard index < buffer.count else { return !isComplete }
                    guard range.contains(buffer[index]) else { return false }
                    range = 0x80...0xBF
                    index += 1
                }
            }
            return true
        }
    }

    /// Returns the number of bytes that follow a lead byte, and the legal values of the first of them; nil for any other byte.
    private static func continuation(of lead: UInt8) -> (count: Int, first: ClosedRange<UInt8>)? {
        switch lead {
        case 0xC2...0xDF: (1, 0x80...0xBF)
        case 0xE0: (2, 0xA0...0xBF)
        case 0xED: (2, 0x80...0x9F)
        case 0xE1...0xEF: (2, 0x80...0xBF)
        case 0xF0: (3, 0x90...0xBF)
        case 0xF1...0xF3: (3, 0x80...0xBF)
        case 0xF4: (3, 0x80...0x8F)
        default: nil
        }
    }
}
