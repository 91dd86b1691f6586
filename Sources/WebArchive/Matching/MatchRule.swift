// SPDX-License-Identifier: Apache-2.0

/// A rule by which a stored exchange is the response to a request. The cases are in the order in which they are tried.
///
/// Rules combine: a match may need several. Matches by earlier rules only are preferred, so that `headFromGet` with
/// `anyVariant` comes before `directoryIndex` alone. `webarc why --json` prints the raw values. Specification section
/// 8.5.
public enum MatchRule: String, CaseIterable, Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The URL, the method, the digest of the request's body, and the request's fields that `Vary` names (RFC 9111
    /// section 4.1; `Accept-Encoding` is not compared, as bodies are stored decoded).
    case exact
    /// The newest capture, even if fields that `Vary` names differ. Rule 1 of section 8.5.
    case anyVariant
    /// The response of a `GET` for a `HEAD` (RFC 9110 section 9.3.2). Rule 2 of section 8.5.
    case headFromGet
    /// A path that differs in the spelling of reserved characters: `operator=.html` for `operator%3D.html`, and the
    /// reverse (RFC 3986 section 2.2). Rule 3 of section 8.5: either all of the path's or none are triplets.
    case reservedCharacters
    /// The path with one slash for each run of them: `images/left.png` for `images//left.png`. Rule 4 of section 8.5.
    case emptySegments
    /// A directory and its index file: `/dir/index.html` for `/dir/`, and the reverse; `/dir/` or `/dir/index.html` for
    /// `/dir`.
    ///
    /// The names are those of ``ArchiveMatcher/Options/indexNames``. Rule 5 of section 8.5.
    case directoryIndex
    /// The path with `.html` after it: `/about.html` for `/about`. Rule 6 of section 8.5.
    case htmlExtension
    /// A URL that differs only in query parameters of ``ArchiveMatcher/Options/ignoredParameters``. Rule 7 of section
    /// 8.5.
    ///
    /// Up to 1,000 entries of the path are looked at.
    case ignoredParameters
    /// The URL with `http` for `https`, and the reverse, if it has no port. Rule 8 of section 8.5.
    case otherScheme
    /// A URL that differs only in parameters that a page makes up for each request (`_`, `cb`, `ts=1589234567890`), or that links carry
    /// for statistics (`utm_*`, `fbclid`).
    ///
    /// Rule 9 of section 8.5, for recordings of the web. Up to 1,000 entries of the path are looked at.
    case cacheBusters
    /// A URL that differs only in the number of a visit, such as `PHPSESSID`, and in the parameters of ``cacheBusters``.
    ///
    /// Rule 10 of section 8.5, for recordings of the web.
    case sessionIDs
    /// A script, style sheet, image or video that is stored with one or two queries only: they are not compared.
    ///
    /// Rule 11 of section 8.5, for recordings of the web.
    case queryOfFile
    /// The response to the URL without its query, for a `GET` or `HEAD` with one, as a file server sends it.
    ///
    /// Rule 12 of section 8.5. Used only where a person looks at the response.
    case withoutQuery
    /// The response to a `POST` of the same URL whose content is most alike: of the same type and shape, with at least three quarters of its
    /// values equal.
    ///
    /// It needs ``MatchRequest/content``. Rule 13 of section 8.5, for recordings of the web. The content of up to 100 stored requests is
    /// compared.
    case similarContent

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Compares two rules: the one that is tried first is the smaller.
    public static func < (left: MatchRule, right: MatchRule) -> Bool { left.order < right.order }

    /// A phrase for people, with the name of the rule in section 8.5.
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
        case .cacheBusters: "cache busters"
        case .sessionIDs: "session IDs"
        case .queryOfFile: "query of a file"
        case .withoutQuery: "without query"
        case .similarContent: "similar content"
        }
    }
}

extension ArchiveMatcher {
    /// The enabled rules of matching, with their parameters.
    public struct Options: Hashable, Sendable {
        /// The enabled rules. ``MatchRule/exact`` is always enabled.
        public var rules: Set<MatchRule>
        /// The names of query parameters to ignore, as in a canonical URL, case-sensitive; a `*` at the end
        /// matches anything: `utm_*`.
        ///
        /// Empty by default, and then ``MatchRule/ignoredParameters`` has no effect.
        public var ignoredParameters: [String]
        /// The names of files that represent their directory, the preferred one first, as in a canonical
        /// URL.
        public var indexNames: [String]

        /// Whether servers, the URL loading system and ``ArchiveMatcher/explain(_:)`` apply the redirect rules that the
        /// publisher of a site wrote (`_redirects`). Specification section 8.7.
        public var appliesRedirectRules: Bool
        /// The country for redirect rules with a `Country` condition, by ISO 3166-1 alpha-2 code in
        /// either case; nil for none.
        ///
        /// A cookie `nf_country` of the request has precedence (specification section 8.7, step 3).
        public var country: String?

        /// Creates options; the defaults are those of the library, which servers extend to ``serving``.
        ///
        /// - Parameters:
        ///   - rules: the enabled rules; by default ``standardRules``.
        ///   - ignoredParameters: the ignored parameters; none by default.
        ///   - indexNames: the index names; `index.html` by default.
        ///   - appliesRedirectRules: whether redirect rules are applied; true by default.
        ///   - country: nil by default.
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

        /// The rules for recordings of the web, whose pages make up a different request each time.
        public static let recordingRules: Set<MatchRule> = [
            .cacheBusters, .sessionIDs, .queryOfFile, .similarContent,
        ]

        /// The rules of a library: all but ``MatchRule/withoutQuery`` and the ``recordingRules``.
        ///
        /// For a program that queries an API, the response to a different request is worse than none.
        public static let standardRules = Set(MatchRule.allCases).subtracting(recordingRules).subtracting([
            .withoutQuery
        ])

        /// The options of servers, whose responses are shown to people: ``MatchRule/withoutQuery`` too.
        public static let serving = Self(rules: standardRules.union([.withoutQuery]))

        /// The options of `webarc serve`, which shows recordings of the web to people: all rules.
        public static let replaying = Self(rules: Set(MatchRule.allCases))

        /// The options for exact responses: ``MatchRule/exact``, and no redirect rules.
        public static let exactOnly = Self(rules: [.exact], appliesRedirectRules: false)

        /// Returns whether a rule is enabled: ``MatchRule/ignoredParameters`` is not without parameters to ignore.
        func uses(_ rule: MatchRule) -> Bool {
            rule == .exact || rules.contains(rule) && (rule != .ignoredParameters || !ignoredParameters.isEmpty)
        }
    }
}
