// SPDX-License-Identifier: Apache-2.0

/// The parts of a URI reference (RFC 3986 section 4.1), as written; the fragment is dropped.
struct URLReference {
    /// The scheme without ":"; nil for a relative reference.
    var scheme: ArraySlice<UInt8>?
    /// The authority without "//"; nil without one.
    var authority: ArraySlice<UInt8>?
    /// The path, which may be empty.
    var path: ArraySlice<UInt8>
    /// The query without "?"; nil without one.
    var query: ArraySlice<UInt8>?

    /// Splits a text as in RFC 3986 appendix B, except that the part before ":" must be a valid scheme.
    ///
    /// - Throws: ``InvalidURL/tooLong``.
    init(_ text: [UInt8]) throws(InvalidURL) {
        guard text.count <= CanonicalURL.maximumLength else { throw .tooLong }
        var rest = Self.trimmed(text)
        if let end = rest.firstIndex(of: .ascii("#")) { rest = rest[..<end] }
        if let end = URLScheme.end(in: rest) {
            scheme = rest[..<end]
            rest = rest[(end + 1)...]
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex { $0 == .ascii("/") || $0 == .ascii("?") } ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        }
        if let mark = rest.firstIndex(of: .ascii("?")) {
            query = rest[(mark + 1)...]
            rest = rest[..<mark]
        }
        path = rest
    }

    init(
        scheme: ArraySlice<UInt8>, authority: ArraySlice<UInt8>?, path: ArraySlice<UInt8>, query: ArraySlice<UInt8>?
    ) {
        self.scheme = scheme
        self.authority = authority
        self.path = path
        self.query = query
    }

    /// Returns the text without surrounding spaces and control characters and without any TAB, LF or CR.
    private static func trimmed(_ text: [UInt8]) -> ArraySlice<UInt8> {
        guard let first = text.firstIndex(where: { $0 > 0x20 }), let last = text.lastIndex(where: { $0 > 0x20 }) else {
            return []
        }
        let middle = text[first...last]
        guard middle.contains(where: isLineByte) else { return middle }
        return middle.filter { !isLineByte($0) }[...]
    }

    private static func isLineByte(_ byte: UInt8) -> Bool {
        byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
