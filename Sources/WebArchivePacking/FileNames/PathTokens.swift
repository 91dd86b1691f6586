// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The pieces of a canonical URL's path and query that become file path components, and their rules.
///
/// Each path segment is one piece. If there is a query, the last piece also has "?" and the query. The "/" that
/// begins an opaque path belongs to the first piece, and "." is the piece of an empty path after an authority, as no
/// such path can hold a segment ".".
enum PathTokens {
    /// A scheme whose paths begin with "/" and are not empty.
    case special
    /// A scheme whose paths begin with "/" or are empty.
    case hierarchical
    /// A scheme whose paths are anything that does not begin with "//", including dot segments.
    case opaque

    /// Chooses the rules by the scheme and the authority of a URL (specification section 8.1); its path and query do not matter.
    init(site: CanonicalURL) {
        self = site.isSpecial ? .special : site.authority == nil ? .opaque : .hierarchical
    }

    /// Returns the pieces of a URL of this kind: at least one.
    func split(_ url: CanonicalURL) -> [ArraySlice<UInt8>] {
        let path = url.path
        if self != .opaque, path.isEmpty {
            return [[.ascii(".")] + url.bytes[path.endIndex...]]
        }
        var tokens: [ArraySlice<UInt8>] = []
        var start = self == .opaque ? path.startIndex : path.startIndex + 1
        let searched = path.first == .ascii("/") ? path.dropFirst() : path
        for index in searched.indices where path[index] == .ascii("/") {
            tokens.append(path[start..<index])
            start = index + 1
        }
        tokens.append(url.bytes[start...])
        return tokens
    }

    /// Appends the path and query made of `tokens`, the inverse of ``split(_:)``.
    func append(_ tokens: [ArraySlice<UInt8>], to url: inout [UInt8]) {
        if self == .hierarchical, tokens.count == 1, Self.segment(tokens[0]).elementsEqual([.ascii(".")]) {
            url.append(contentsOf: tokens[0].dropFirst())
            return
        }
        for (index, token) in tokens.enumerated() {
            if self != .opaque || index > 0 { url.append(.ascii("/")) }
            url.append(contentsOf: token)
        }
    }

    /// Returns whether ``split(_:)`` can produce this piece at this position.
    func allow(_ token: ArraySlice<UInt8>, isFirst: Bool, isLast: Bool) -> Bool {
        var segment = Self.segment(token)
        guard PercentEncoding.isNormalized(token), isLast || segment.count == token.count else { return false }
        switch self {
        case .special:
            if Self.isDots(segment) { return false }
        case .hierarchical:
            if Self.isDots(segment) { return isFirst && isLast && segment.count == 1 }
        case .opaque:
            if isFirst, segment.first == .ascii("/") { segment = segment.dropFirst() }
            // The path would begin with "//", or with a "/" that belongs to the first piece.
            if isFirst, !isLast, segment.isEmpty { return false }
        }
        return !segment.contains(.ascii("/"))
    }

    /// Returns the path segment of a piece: the bytes before the first `?`, which begins a query.
    private static func segment(_ token: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        token.prefix { $0 != .ascii("?") }
    }

    /// Returns whether a segment is a dot segment, `.` or `..` (RFC 3986 section 3.3).
    private static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
        (segment.count == 1 || segment.count == 2) && segment.allSatisfy { $0 == .ascii(".") }
    }
}
