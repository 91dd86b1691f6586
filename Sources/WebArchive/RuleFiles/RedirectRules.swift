// SPDX-License-Identifier: Apache-2.0

/// The rules of a `_redirects` file.
///
/// The first rule that matches a request counts. Whether a file at the requested path wins over a rule
/// is the caller's to decide: on Netlify it does unless the rule is forced, on Cloudflare Pages never.
///
/// Origin: Netlify, "Redirects and rewrites"; Cloudflare Pages, "Redirects".
package struct RedirectRules: Sendable {
    /// The maximum number of rules of one file.
    package static let ruleLimit = 100_000

    /// A rule and its result for a request.
    package struct Match: Sendable, Hashable {
        /// The rule.
        package let rule: RedirectRule
        /// Its target with filled placeholders.
        package let target: String
    }

    /// The supported rules, in the order of the file.
    package let rules: [RedirectRule]
    /// The rules that take precedence over files, in the order of the file.
    package let forced: [RedirectRule]
    /// The lines that are malformed, unsupported, or only partly supported.
    package let warnings: [RuleFileWarning]

    private let index: RedirectRuleIndex
    private let forcedIndex: RedirectRuleIndex

    /// Creates rules, which are then found for one path by a hash of it.
    init(rules: [RedirectRule], warnings: [RuleFileWarning]) {
        (self.rules, self.warnings) = (rules, warnings)
        index = RedirectRuleIndex(rules)
        forced = rules.filter(\.isForced)
        forcedIndex = RedirectRuleIndex(forced)
    }

    /// Finds the first rule that matches a request; see ``RedirectRule/target(forPath:query:host:client:)``.
    ///
    /// Rules for one path are found by a hash of it; the others are tried in order.
    ///
    /// - Parameters:
    ///   - isForced: whether only forced rules count, as they do for a path that has a file.
    ///   - client: the client; nil: rules with conditions do not match.
    ///   - effort: the steps that are left for matching; nil for as many as it takes.
    /// - Returns: nil if no rule matches, or the steps are used up: see ``RuleEffort/isExceeded``.
    package func match(
        path: String, query: String? = nil, host: String? = nil, isForced: Bool = false, client: RuleClient? = nil,
        effort: RuleEffort? = nil
    ) -> Match? {
        guard
            let request = RuleRequest(
                path: path, query: query, host: host, client: client, effort: effort)
        else { return nil }
        let (index, rules) = isForced ? (forcedIndex, forced) : (index, rules)
        return index.first(for: request) { position in
            rules[position].target(for: request).map { Match(rule: rules[position], target: $0) }
        }
    }

    /// Finds the first rule whose source matches a path on a host, for any query and client.
    package func first(matching path: String, host: String?, effort: RuleEffort? = nil) -> RedirectRule? {
        guard let request = RuleRequest(path: path, host: host, effort: effort) else { return nil }
        return index.first(for: request) { rules[$0].compiled.match(request) == nil ? nil : rules[$0] }
    }
}
