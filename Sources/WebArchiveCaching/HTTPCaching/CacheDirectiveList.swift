// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// An iteration over the directives of a `Cache-Control` value. RFC 9111 section 5.2.
///
/// A quoted argument comes without its quotes. A quote that is never closed is an ordinary character: it must not hide
/// the directives after it.
struct CacheDirectiveList: Sequence, IteratorProtocol {
    struct Directive: Equatable {
        /// The name in lower case.
        let name: String
        /// The argument; nil without `=`.
        let argument: String?
    }

    private var rest: ArraySlice<UInt8>

    init(_ value: String) { rest = Array(value.utf8)[...] }

    mutating func next() -> Directive? {
        while true {
            rest = rest.drop { $0 == UInt8(ascii: ",") || Self.isWhitespace($0) }
            guard !rest.isEmpty else { return nil }
            let name = Self.text(take { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }).asciiLowercased
            var argument: String?
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst()
                argument = readArgument()
            }
            if !name.isEmpty { return Directive(name: name, argument: argument) }
        }
    }

    private mutating func readArgument() -> String {
        rest = rest.drop(while: Self.isWhitespace)
        let quoted = readQuotedString() ?? []
        // Characters between a closing quote and the next comma make the argument invalid.
        return String(decoding: quoted, as: UTF8.self) + Self.text(take { $0 != UInt8(ascii: ",") })
    }

    /// Reads a quoted string (RFC 9110 section 5.6.4); nil if there is none, or it does not end.
    private mutating func readQuotedString() -> [UInt8]? {
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        var text: [UInt8] = []
        var tail = rest.dropFirst()
        while let byte = tail.popFirst() {
            if byte == UInt8(ascii: "\"") {
                rest = tail
                return text
            }
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            guard let escaped = tail.popFirst() else { return nil }
            text.append(escaped)
        }
        return nil
    }

    private mutating func take(while isTaken: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: isTaken)
        rest = rest[taken.endIndex...]
        return taken
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(String(decoding: bytes, as: UTF8.self).trimmingOptionalWhitespace)
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
