// SPDX-License-Identifier: Apache-2.0

/// A redirect rule that decided about a request. Specification section 8.7.
public struct AppliedRule: Hashable, Sendable, CustomStringConvertible {
    /// The canonical URL of the rule file.
    public let file: String
    /// The number of the rule's line, counted from 1.
    public let line: Int
    /// The rule in the form of the file: source, target, status.
    public let text: String
    /// The status of the response.
    public let status: Int
    /// The canonical URL that the rule leads to.
    public let target: String
    /// The value of `Location`, for a rule that redirects; nil for one that gives content.
    public let location: String?
    /// Whether the rule answers in the place of an entry.
    public let isForced: Bool

    init(_ match: SiteRules.Match) {
        let rule = match.rule
        (file, line, target) = (match.file.description, rule.line, match.url.description)
        text = "\(rule.source) \(rule.target) \(rule.status)\(rule.isForced ? "!" : "")"
        (status, isForced) = (rule.status, rule.isForced)
        location = rule.effect == .redirect ? match.target : nil
    }

    /// The rule and its place.
    public var description: String { "redirect rule \(text), line \(line) of \(file)" }
}
