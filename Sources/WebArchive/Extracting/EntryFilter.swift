// SPDX-License-Identifier: Apache-2.0

/// A filter of entries by their URLs: by patterns in the form of ``GlobPattern``, and by a prefix of the URL.
///
/// A pattern with `://` is matched with the whole canonical URL, segment by segment: `https://example.org/docs/**`. Any
/// other pattern is matched with the path, without its query, as it is in the URL and with its triplets decoded
/// (specification section 8.1). A pattern that matches a folder of the path selects all that is in it.
///
/// ```swift
/// var filter = EntryFilter()
/// filter.include = [try GlobPattern("/docs/**")]
/// let summary = try ArchiveExtractor(archive, into: "docs.webarc", filter: filter).run()
/// ```
public struct EntryFilter: Sendable {
    /// The patterns of which a URL must match at least one; empty, the default, for any URL.
    public var include: [GlobPattern] = []
    /// The patterns of which a URL may match none; they take precedence over ``include``. Empty by default.
    public var exclude: [GlobPattern] = []
    /// The prefix of the canonical URLs, compared byte by byte; empty, the default, for all.
    public var urlPrefix = ""

    /// Creates a filter that selects every URL.
    public init() {}

    /// Returns whether a URL is selected.
    ///
    /// - Complexity: O(*p* · *n*) for patterns and a URL of these lengths.
    public func contains(_ url: CanonicalURL) -> Bool { includes(url) && !excludes(url) }

    /// Returns whether a URL is selected, unless a pattern excludes it.
    package func includes(_ url: CanonicalURL) -> Bool {
        guard url.bytes.starts(with: urlPrefix.utf8) else { return false }
        return include.isEmpty || Self.matches(include, url)
    }

    /// Returns whether a pattern excludes a URL.
    package func excludes(_ url: CanonicalURL) -> Bool { !exclude.isEmpty && Self.matches(exclude, url) }

    private static func matches(_ patterns: [GlobPattern], _ url: CanonicalURL) -> Bool {
        let (path, decoded) = paths(of: url)
        return patterns.contains { pattern in
            if pattern.isForWholeURL { return pattern.covers(Array(url.bytes), isDirectory: false) }
            if pattern.covers(path, isDirectory: false) { return true }
            return decoded.map { pattern.covers($0, isDirectory: false) } ?? false
        }
    }

    /// Returns the path without its leading slash, and with its triplets decoded; nil if it has none.
    ///
    /// The slash at the end of a folder's URL stays: its page is something in the folder.
    private static func paths(of url: CanonicalURL) -> (path: [UInt8], decoded: [UInt8]?) {
        let path = url.path.first == UInt8(ascii: "/") ? url.path.dropFirst() : url.path
        guard path.contains(UInt8(ascii: "%")) else { return (Array(path), nil) }
        var decoded: [UInt8] = []
        PercentEncoding.appendDecoded(path, to: &decoded)
        return (Array(path), decoded)
    }
}
