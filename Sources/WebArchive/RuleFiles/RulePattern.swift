// SPDX-License-Identifier: Apache-2.0

/// The URL pattern of a rule: a path, or a URL with host and path, with `*` and `:placeholder`.
///
/// `*` matches any bytes, none included. `:name` matches one or more bytes up to the next `/`, in a
/// host up to the next `.` too. Origin: Cloudflare Pages, "Headers" and "Redirects", Splats and
/// Placeholders; Netlify, "Redirect options", Splats and Placeholders.
package struct RulePattern: Sendable, Hashable {
    /// The maximum length of a pattern, in bytes.
    static let lengthLimit = 2_048
    /// The maximum number of placeholders and splats in one pattern.
    static let captureLimit = 64

    /// A part of a pattern.
    package enum Token: Sendable, Hashable {
        /// These bytes, percent-encoded in a path, in lower case in a host.
        case literal([UInt8])
        /// A placeholder or a splat.
        case capture(name: [UInt8], kind: CaptureKind)
    }

    /// The bytes that a capture may match.
    package enum CaptureKind: Sendable, Hashable {
        /// Any bytes, including none; one or more up to the next `/`; one or more up to the next `/` or `.`.
        case splat, pathPart, hostPart
    }

    /// The tokens of the host, or nil for a pattern of only a path.
    let host: [Token]?
    /// The tokens of the path, which begins with `/`.
    let path: [Token]

    /// Reads a pattern.
    ///
    /// - Parameters:
    ///   - bytes: the pattern without blanks around it.
    ///   - schemes: the schemes allowed before a host, such as `https://`.
    /// - Throws: A problem for a malformed pattern or one over a limit.
    package init(_ bytes: ArraySlice<UInt8>, schemes: [String]) throws(RuleFileError.Problem) {
        guard bytes.count <= Self.lengthLimit else { throw .patternTooComplex }
        var host: ArraySlice<UInt8>?
        var path = bytes
        if bytes.first != UInt8(ascii: "/") {
            guard let length = Self.schemeLength(bytes, schemes) else { throw .patternStart }
            let rest = bytes.dropFirst(length)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            host = rest[..<end]
            path = rest[end...]
        }
        guard !path.contains(UInt8(ascii: "?")) else { throw .queryInPattern }
        if path.isEmpty { path = [UInt8(ascii: "/")] }

        var names: [[UInt8]] = []
        if let host {
            guard !host.isEmpty else { throw .patternStart }
            let tokens = Self.tokens(of: host, kind: .hostPart, names: &names)
            // A colon that starts no placeholder starts a port.
            for case .literal(let text) in tokens where text.contains(UInt8(ascii: ":")) { throw .port }
            self.host = tokens.map { token in
                guard case .literal(let text) = token else { return token }
                return .literal(text.asciiLowercased)
            }
        } else {
            self.host = nil
        }
        self.path = Self.tokens(of: RuleURLText.normalized(path)[...], kind: .pathPart, names: &names)

        guard names.count <= Self.captureLimit else { throw .patternTooComplex }
        var seen: Set<[UInt8]> = []
        for name in names where !seen.insert(name).inserted && name != Self.splatName { throw .repeatedPlaceholder }
    }

    /// The number of literals and captures.
    var partCount: Int { path.count + (host?.count ?? 0) }

    /// Whether the pattern matches one path on every host.
    var isLiteralPath: Bool { host == nil && literalPath != nil }

    /// The path of a pattern without placeholders and splats.
    var literalPath: [UInt8]? {
        guard path.count == 1, case .literal(let text) = path[0] else { return nil }
        return text
    }

    /// The name under which a target refers to the first `*`.
    static let splatName = Array("splat".utf8)

    /// Returns the length of the scheme with which a pattern starts, in either case; nil if it starts with none of
    /// them.
    package static func schemeLength(_ bytes: ArraySlice<UInt8>, _ schemes: [String]) -> Int? {
        for scheme in schemes where bytes.prefix(scheme.utf8.count).asciiLowercased == Array(scheme.utf8) {
            return scheme.utf8.count
        }
        return nil
    }

    /// Returns the length of a placeholder's name at the start: a letter, then letters, digits and `_`; 0 without one.
    static func nameLength(_ bytes: ArraySlice<UInt8>) -> Int {
        var length = 0
        for byte in bytes {
            switch byte {
            case 0x41...0x5A, 0x61...0x7A: break
            case 0x30...0x39, UInt8(ascii: "_"): if length == 0 { return 0 }
            default: return length
            }
            length += 1
        }
        return length
    }

    private static func tokens(
        of bytes: ArraySlice<UInt8>, kind: CaptureKind, names: inout [[UInt8]]
    ) -> [Token] {
        var tokens: [Token] = []
        var literal: [UInt8] = []
        var rest = bytes
        while let byte = rest.first {
            rest = rest.dropFirst()
            var capture: Token?
            if byte == UInt8(ascii: "*") {
                capture = .capture(name: splatName, kind: .splat)
                names.append(splatName)
            } else if byte == UInt8(ascii: ":") {
                let name = Array(rest.prefix(nameLength(rest)))
                if !name.isEmpty {
                    capture = .capture(name: name, kind: kind)
                    names.append(name)
                    rest = rest.dropFirst(name.count)
                }
            }
            guard let capture else {
                literal.append(byte)
                continue
            }
            if !literal.isEmpty { tokens.append(.literal(literal)) }
            literal = []
            tokens.append(capture)
        }
        if !literal.isEmpty { tokens.append(.literal(literal)) }
        return tokens
    }
}
