// SPDX-License-Identifier: Apache-2.0

/// A redirect rule that determined the response to a request: a line of a rule file such as `_redirects`. Specification section 8.7.
public struct AppliedRule: Hashable, Sendable, CustomStringConvertible {
    /// The canonical URL of the rule file, which is an entry of the archive.
    public let file: String
    /// The number of the rule's line in that file, counted from 1.
    public let line: Int
    /// The rule in the form of the file: source, target, status, and "!" if it ``isForced``. Conditions are omitted.
    public let text: String
    /// The status of the response: 200, 301, 302, 303, 307, 308, or 400 to 599.
    public let status: Int
    /// The canonical URL of the rule's target, with the values of its placeholders.
    public let target: String
    /// The value of `Location`, for a rule that redirects: a path or a URL, with the values of its placeholders. Nil
    /// for a rule with content.
    public let location: String?
    /// Whether the rule replaces an existing entry, because its status has a "!".
    public let isForced: Bool

    init(_ match: SiteRules.Match) {
        let rule = match.rule
        (file, line, target) = (match.file.description, rule.line, match.url.description)
        text = "\(rule.source) \(rule.target) \(rule.status)\(rule.isForced ? "!" : "")"
        (status, isForced) = (rule.status, rule.isForced)
        location = rule.effect == .redirect ? match.target : nil
    }

    /// The rule and its position, for people.
    public var description: String { "redirect rule \(text), line \(line) of \(file)" }
}
