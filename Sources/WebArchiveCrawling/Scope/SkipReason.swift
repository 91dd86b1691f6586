// SPDX-License-Identifier: Apache-2.0

/// The reason why a crawl does not visit a URL that it found.
public enum SkipReason: String, Hashable, Sendable, CaseIterable {
    /// The URL is outside the scope.
    case outOfScope = "out-of-scope"
    /// The URL matches no pattern of those to include.
    case notIncluded = "not-included"
    /// The URL matches a pattern of those to exclude.
    case excluded
    /// The page is too many links away from where the crawl began.
    case tooDeep = "too-deep"
    /// The file robots.txt of the host disallows it.
    case robots
    /// The file robots.txt of the host could not be loaded, so that nothing of the host may be (RFC 9309 section 2.3.1.4).
    case unreachable
    /// The path repeats itself, or the URL is very long: such links lead on without end.
    case trap
    /// The path was found with very many queries.
    case variants
    /// A limit or a signal ended the crawl before it.
    case limit
    /// There were too many URLs to remember.
    case tooMany = "too-many"
    /// The page could not be loaded, after several attempts.
    case failed

    /// The reason as a part of a sentence, in English.
    public var text: String {
        switch self {
        case .outOfScope: "outside the scope"
        case .notIncluded: "not included by a pattern"
        case .excluded: "excluded by a pattern"
        case .tooDeep: "deeper than --depth"
        case .robots: "disallowed by robots.txt"
        case .unreachable: "of hosts whose robots.txt could not be loaded"
        case .trap: "with a path that repeats itself"
        case .variants: "with too many queries for one path"
        case .limit: "left for a next run"
        case .tooMany: "beyond the number of URLs that are remembered"
        case .failed: "not loaded"
        }
    }
}
