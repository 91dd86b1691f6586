// SPDX-License-Identifier: Apache-2.0

/// An explanation of the match for a request, or of a miss: the result of ``ArchiveMatcher/explain(_:)``.
public struct MatchExplanation: Sendable, CustomStringConvertible {
    /// The result of one step.
    public enum Outcome: Hashable, Sendable {
        /// An entry was found.
        case matched
        /// No entry has this URL.
        case notStored
        /// Entries have this URL, but for a different method or request body, or they are kept for unpacking only.
        case otherRequestsOnly
        /// A response exists, but for other values of fields that its `Vary` names.
        case varies(VaryDifference)
    }

    /// A lookup step: a URL and a method that were looked up by some rules.
    public struct Step: Hashable, Sendable, CustomStringConvertible {
        /// The rules that were combined, in the order of ``MatchRule``; ``MatchRule/exact`` alone for the request
        /// itself.
        public let rules: [MatchRule]
        /// The method that was looked up.
        public let method: String
        /// The canonical URL that was looked up; with ``MatchRule/ignoredParameters`` a URL that differs in ignored parameters.
        public let url: String
        /// The result of the step.
        public let outcome: Outcome

        /// The step as one line for people.
        public var description: String {
            "\(rules.map(\.description).joined(separator: " + ")): \(method) \(url): \(outcome)"
        }
    }

    /// The request that was explained.
    public let request: MatchRequest
    /// All steps in their order; the last one matched if there is a ``match``. Those for the target of a redirect rule
    /// come last.
    public internal(set) var steps: [Step] = []
    /// The redirect rule of the publisher that decides; nil if none does. Specification section 8.7.
    public internal(set) var rule: AppliedRule?
    /// The match; nil if there was none, or a redirect rule responds with a ``AppliedRule/location``.
    public internal(set) var match: ArchiveMatch?
    /// The nearest entries on a miss, the likeliest first, and a few of each kind.
    public internal(set) var nearMisses: [NearMiss] = []
    /// The rules that are switched off, in their order; ``MatchRule/ignoredParameters`` among them if there are no parameters
    /// to ignore.
    public let unusedRules: [MatchRule]

    init(request: MatchRequest, unusedRules: [MatchRule]) {
        (self.request, self.unusedRules) = (request, unusedRules)
    }

    /// Whether the archive has a response: that of the entry of a ``match``, or a redirect of a rule.
    public var hasResponse: Bool { match != nil || rule?.location != nil }

    /// The explanation for people: a line for the request, for each step, for rules that were not used, and for each near
    /// miss.
    ///
    /// Texts of the archive are as they are stored, and may end a line.
    public var description: String { lines.joined(separator: "\n") }

    /// The lines of the ``description``, each as one text.
    package var lines: [String] {
        var lines = ["\(request.method) \(request.url)"]
        lines += steps.map { "  \($0)" }
        if let rule { lines.append("  \(rule): \(rule.location ?? rule.target)") }
        if !unusedRules.isEmpty {
            lines.append("  not used: \(unusedRules.map(\.description).joined(separator: ", "))")
        }
        if !hasResponse { lines += nearMisses.map { "  near: \($0)" } }
        return lines
    }
}

extension MatchExplanation.Outcome: CustomStringConvertible {
    /// The name of the case, which `webarc why --json` prints.
    public var code: String {
        switch self {
        case .matched: "matched"
        case .notStored: "notStored"
        case .otherRequestsOnly: "otherRequestsOnly"
        case .varies: "varies"
        }
    }

    /// The outcome in words.
    public var description: String {
        switch self {
        case .matched: "matches"
        case .notStored: "not in the archive"
        case .otherRequestsOnly: "stored for other requests only"
        case .varies(let difference): difference.description
        }
    }
}

/// An entry of an archive that nearly matches a request.
public enum NearMiss: Hashable, Sendable, CustomStringConvertible {
    /// The URL exists with a different method.
    case otherMethod(url: String, method: String)
    /// The URL and the method exist with a different request body; nil for none.
    case otherBody(url: String, digest: ContentDigest?)
    /// The response is for other request fields.
    case otherVariant(url: String, VaryDifference)
    /// The entry is kept for unpacking only, and never served.
    case unpackOnly(url: String)
    /// The archive lacks the body of the response, which is why it is never served.
    case withoutBody(url: String)
    /// The same path with a different query, or without one.
    case otherQuery(url: String)
    /// A URL with a common beginning.
    case similar(url: String)

    /// The name of the case, which `webarc why --json` prints.
    public var code: String {
        switch self {
        case .otherMethod: "otherMethod"
        case .otherBody: "otherBody"
        case .otherVariant: "otherVariant"
        case .unpackOnly: "unpackOnly"
        case .withoutBody: "withoutBody"
        case .otherQuery: "otherQuery"
        case .similar: "similar"
        }
    }

    /// The canonical URL of the entry.
    public var url: String {
        switch self {
        case .otherMethod(let url, _), .otherBody(let url, _), .otherVariant(let url, _), .unpackOnly(let url),
            .withoutBody(let url), .otherQuery(let url), .similar(let url):
            url
        }
    }

    /// The entry and its difference in words.
    public var description: String {
        switch self {
        case .otherMethod(let url, let method): "\(method) \(url) is stored"
        case .otherBody(let url, let digest):
            "\(url) is stored with \(digest.map { "request body \($0)" } ?? "no request body")"
        case .otherVariant(let url, let difference): "\(url): \(difference)"
        case .unpackOnly(let url): "\(url) is for unpacking only"
        case .withoutBody(let url): "\(url) is stored without its body"
        case .otherQuery(let url): "\(url), with a different query"
        case .similar(let url): url
        }
    }
}
