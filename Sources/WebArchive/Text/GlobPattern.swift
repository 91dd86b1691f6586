// SPDX-License-Identifier: Apache-2.0

/// A pattern for the paths of files and of URLs, in the form of a line of `.gitignore`.
///
/// - A pattern without a slash matches a name at any depth; one with a slash at its start or inside is matched with the
///   whole path from the root.
/// - A slash at the end makes the pattern match directories alone.
/// - `*` matches any bytes and `?` one byte, `/` excepted. `[a-z]`, `[!a-z]` and `[[:alpha:]]` match one byte of a
///   class. `\` takes the next byte's meaning away.
/// - `**/` matches any number of directories, none included; `/**` at the end all that is inside.
///
/// Unlike a line of `.gitignore`, a pattern is not a comment if it starts with `#`, is not cut at blanks and cannot start
/// with `!`, since exclusion and inclusion are options of their own.
///
/// Matching works on bytes, as names of files need not be UTF-8. It takes time proportional to the lengths of pattern
/// and path multiplied at most, and memory for as many segments as the pattern has. Origin: gitignore(5), "PATTERN
/// FORMAT".
///
/// ```swift
/// let drafts = try GlobPattern("drafts/**/*.md")
/// print(drafts.matches(Array("drafts/2024/plan.md".utf8), isDirectory: false))  // true
/// ```
public struct GlobPattern: Sendable, Hashable {
    /// The maximum length of a pattern, in bytes.
    public static let lengthLimit = 4_096

    /// A fault of a pattern that can match nothing, or has a different meaning than intended.
    public enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The pattern is empty, or only `/`.
        case empty
        /// The pattern is over ``GlobPattern/lengthLimit``.
        case tooLong
        /// The pattern starts with `!`.
        case negation
        /// A `[` has no `]`, or names a class that does not exist.
        case characterClass
        /// The pattern ends with a lone `\`.
        case trailingBackslash

        /// The fault, and the correction.
        public var description: String {
            switch self {
            case .empty: "the pattern is empty; use ** to match everything"
            case .tooLong: "the pattern exceeds \(GlobPattern.lengthLimit) bytes; shorten it"
            case .negation: "a pattern cannot start with !; use the opposite option, or \\! for the character"
            case .characterClass: "a [ has no ] or an unknown class; write \\[ for the character"
            case .trailingBackslash: "the pattern ends with \\; write \\\\ for the character"
            }
        }
    }

    /// Whether the pattern matches only directories.
    public let matchesDirectoriesOnly: Bool
    /// Whether the pattern is matched with the whole path rather than the last name.
    public let isAnchored: Bool

    private let segments: [GlobSegment]

    /// Reads a pattern given as text, at most ``lengthLimit`` bytes of UTF-8.
    ///
    /// - Throws: ``Failure`` for a pattern that is not of the form above.
    public init(_ pattern: String) throws(Failure) { try self.init(bytes: Array(pattern.utf8)) }

    /// Reads a pattern given as bytes, at most ``lengthLimit``.
    ///
    /// - Throws: ``Failure`` for a pattern that is not of the form above.
    public init(bytes pattern: [UInt8]) throws(Failure) {
        guard pattern.count <= Self.lengthLimit else { throw .tooLong }
        guard pattern.first != UInt8(ascii: "!") else { throw .negation }
        var rest = pattern[...]
        let slash = UInt8(ascii: "/")
        matchesDirectoriesOnly = rest.last == slash
        if matchesDirectoriesOnly { rest = rest.dropLast() }
        isAnchored = rest.contains(slash)
        if rest.first == slash { rest = rest.dropFirst() }
        guard !rest.isEmpty else { throw .empty }
        segments = try GlobSegment.segments(of: rest)
    }

    /// Whether the pattern is for whole URLs, `://` included, and not for their paths.
    var isForWholeURL: Bool {
        segments.count > 2 && segments[0].tokens.last == .byte(UInt8(ascii: ":")) && segments[1].tokens.isEmpty
    }

    /// The names before the first segment with a wildcard, for suggestions.
    var literalBeginning: [String] {
        segments.prefix { segment in segment.tokens.allSatisfy { $0.byte != nil } }.map(\.literalText)
    }

    /// The bytes of the last segment without its wildcards, for suggestions.
    var literalText: String { segments.last?.literalText ?? "" }

    /// Returns whether the pattern matches one file or directory.
    ///
    /// - Parameters:
    ///   - path: the path from the root, without slashes at its ends.
    ///   - isDirectory: whether the path names a directory.
    public func matches(_ path: [UInt8], isDirectory: Bool) -> Bool {
        matches(path, isDirectory: isDirectory, orParent: false)
    }

    /// Returns whether the pattern matches a file or directory, or a directory that contains it.
    ///
    /// That is how git reads a pattern: `build/` leaves out all that is in `build`.
    ///
    /// - Parameters:
    ///   - path: the path from the root, without slashes at its ends.
    ///   - isDirectory: whether the path names a directory.
    public func covers(_ path: [UInt8], isDirectory: Bool) -> Bool {
        matches(path, isDirectory: isDirectory, orParent: true)
    }

    private func matches(_ path: [UInt8], isDirectory: Bool, orParent: Bool) -> Bool {
        let names = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let last = names.count - 1
        // The segments that the next name may be matched with; one past the end is a match.
        var next = [Bool](repeating: false, count: segments.count + 1)
        next[0] = true
        for (index, name) in names.enumerated() {
            let isMatch: Bool
            if isAnchored {
                next = advanced(next, over: name)
                isMatch = next[segments.count]
            } else {
                isMatch = (index == last || orParent) && segments[0].matches(name)
            }
            let counts = index < last ? orParent : isDirectory || !matchesDirectoriesOnly
            if isMatch, counts { return true }
        }
        return false
    }

    /// Returns the segments that a name leads to from those given. All are followed at once, so none is tried twice.
    private func advanced(_ active: [Bool], over name: ArraySlice<UInt8>) -> [Bool] {
        var active = active
        var next = [Bool](repeating: false, count: active.count)
        for (index, segment) in segments.enumerated() where active[index] {
            if segment.isAnyDirectories {
                next[index] = true
                if index + 1 == segments.count {
                    // At the end it represents something inside, one name or more.
                    next[index + 1] = true
                } else {
                    active[index + 1] = true
                }
            } else if !next[index + 1], segment.matches(name) {
                next[index + 1] = true
            }
        }
        return next
    }
}
