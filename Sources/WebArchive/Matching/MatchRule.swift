// SPDX-License-Identifier: Apache-2.0

/// A way in which a stored exchange answers a request. The cases stand in the order in which they are tried.
///
/// Rules combine: a match may need several. What needs only earlier rules is preferred, so that `headFromGet` with `anyVariant`
/// comes before `directoryIndex` alone. Specification section 8.5.
public enum MatchRule: String, CaseIterable, Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The URL, the method, the digest of the request's body, and the request's fields that `Vary` names
    /// (RFC 9111 section 4.1; `Accept-Encoding` is not compared).
    case exact
    /// The newest capture, though fields that `Vary` names differ.
    case anyVariant
    /// The response of a `GET` for a `HEAD`.
    case headFromGet
    /// A path that differs in how reserved characters are written: `operator=.html` for `operator%3D.html`, and the reverse
    /// (RFC 3986 section 2.2).
    case reservedCharacters
    /// `images/left.png` for `images//left.png`.
    case emptySegments
    /// `/dir/index.html` for `/dir/`, and the reverse; `/dir/` or `/dir/index.html` for `/dir`.
    case directoryIndex
    /// `/about.html` for `/about`.
    case htmlExtension
    /// A URL that differs in query parameters that are to be ignored.
    case ignoredParameters
    /// `http` for `https`, and the reverse.
    case otherScheme
    /// For a `GET` or `HEAD` with a query the response to the URL without it, as a server of files gives it.
    case withoutQuery

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    public static func < (left: MatchRule, right: MatchRule) -> Bool { left.order < right.order }

    /// A phrase for people.
    public var description: String {
        switch self {
        case .exact: "exact"
        case .anyVariant: "any variant"
        case .headFromGet: "HEAD from GET"
        case .reservedCharacters: "reserved characters"
        case .emptySegments: "empty segments"
        case .directoryIndex: "directory index"
        case .htmlExtension: "HTML extension"
        case .ignoredParameters: "ignored parameters"
        case .otherScheme: "other scheme"
        case .withoutQuery: "without query"
        }
    }
}

extension ArchiveMatcher {
    /// The rules of matching that are used, with their parameters.
    public struct Options: Hashable, Sendable {
        /// The rules that are used. ``MatchRule/exact`` is used always.
        public var rules: Set<MatchRule>
        /// Names of query parameters to ignore, as they stand in a canonical URL; a `*` at the end stands for anything. Empty by
        /// default, and without one ``MatchRule/ignoredParameters`` does nothing.
        public var ignoredParameters: [String]
        /// Names of files that stand for their directory, the preferred one first.
        public var indexNames: [String]

        /// Whether servers and the URL loading system apply the redirect rules that the publisher of a site wrote (`_redirects`).
        /// Specification section 8.7.
        public var appliesRedirectRules: Bool
        /// The country for which redirect rules count that have a `Country` condition, by ISO 3166-1 alpha-2 code; nil for none.
        public var country: String?

        /// Creates options; the defaults are those of the library, which servers widen to ``serving``.
        public init(
            rules: Set<MatchRule> = Self.standardRules, ignoredParameters: [String] = [],
            indexNames: [String] = ["index.html"], appliesRedirectRules: Bool = true, country: String? = nil
        ) {
            self.rules = rules
            self.ignoredParameters = ignoredParameters
            self.indexNames = indexNames
            self.appliesRedirectRules = appliesRedirectRules
            self.country = country
        }

        /// All rules but ``MatchRule/withoutQuery``: to a program that asks an API a question, the response to another question is worse
        /// than none.
        public static let standardRules = Set(MatchRule.allCases).subtracting([.withoutQuery])

        /// All rules, ``MatchRule/withoutQuery`` included: for servers, whose responses people look at.
        public static let serving = Self(rules: Set(MatchRule.allCases))

        /// Only what a request asked for.
        public static let exactOnly = Self(rules: [.exact], appliesRedirectRules: false)

        func uses(_ rule: MatchRule) -> Bool {
            rule == .exact || rules.contains(rule) && (rule != .ignoredParameters || !ignoredParameters.isEmpty)
        }
    }
}
