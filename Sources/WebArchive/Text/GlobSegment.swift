// SPDX-License-Identifier: Apache-2.0

/// The part of a ``GlobPattern`` between two slashes.
struct GlobSegment: Sendable, Hashable {
    /// A part of a segment that matches bytes.
    enum Token: Sendable, Hashable {
        /// Exactly this byte.
        case byte(UInt8)
        /// Any one byte: `?`.
        case anyByte
        /// Any number of bytes, including none: `*`.
        case anyBytes
        /// One byte of a class.
        case oneOf(GlobByteSet)

        /// The only byte that matches; nil for a wildcard.
        var byte: UInt8? { if case .byte(let byte) = self { byte } else { nil } }
    }

    /// The text of the segment without its wildcards.
    var literalText: String { String(untrusted: tokens.compactMap(\.byte)) }

    /// The tokens in their order; no two stars are adjacent.
    let tokens: [Token]
    /// Whether the segment is `**`, which represents any number of names.
    let isAnyDirectories: Bool

    /// Reads the segments of a pattern. A slash inside a class ends no segment and matches nothing.
    static func segments(of pattern: ArraySlice<UInt8>) throws(GlobPattern.Failure) -> [GlobSegment] {
        var segments: [GlobSegment] = []
        var tokens: [Token] = []
        var stars = 0
        var length = 0
        var rest = pattern

        func end() {
            // A run of two stars or more crosses directories only if it is a whole segment.
            segments.append(GlobSegment(tokens: tokens, isAnyDirectories: stars >= 2 && stars == length))
            tokens = []
            stars = 0
            length = 0
        }

        while var byte = rest.popFirst() {
            if byte == UInt8(ascii: "/") {
                end()
                continue
            }
            length += 1
            switch byte {
            case UInt8(ascii: "*"):
                stars += 1
                if tokens.last != .anyBytes { tokens.append(.anyBytes) }
            case UInt8(ascii: "?"):
                tokens.append(.anyByte)
            case UInt8(ascii: "["):
                guard let set = GlobByteSet(reading: &rest) else { throw .characterClass }
                tokens.append(.oneOf(set))
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst() else { throw .trailingBackslash }
                byte = next
                fallthrough
            default:
                tokens.append(.byte(byte))
            }
        }
        end()
        return segments
    }

    /// Returns whether the segment matches all of a name, with backtracking to the last `*`.
    ///
    /// Only the last star is ever gone back to, so that the time is at most the product of both lengths.
    func matches(_ name: ArraySlice<UInt8>) -> Bool {
        var token = 0
        var position = name.startIndex
        var back: (token: Int, position: Int)?
        while position < name.endIndex {
            if token < tokens.count, tokens[token] == .anyBytes {
                back = (token, position)
                token += 1
            } else if token < tokens.count, Self.matches(tokens[token], name[position]) {
                token += 1
                position += 1
            } else if let last = back {
                back = (last.token, last.position + 1)
                token = last.token + 1
                position = last.position + 1
            } else {
                return false
            }
        }
        while token < tokens.count, tokens[token] == .anyBytes { token += 1 }
        return token == tokens.count
    }

    private static func matches(_ token: Token, _ byte: UInt8) -> Bool {
        switch token {
        case .byte(let expected): byte == expected
        case .anyByte: true
        case .oneOf(let set): set.contains(byte)
        case .anyBytes: false
        }
    }
}
