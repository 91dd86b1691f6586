// SPDX-License-Identifier: Apache-2.0

/// The rules of a `_redirects` file.
///
/// The first rule that matches a request counts. Whether a file at the requested path wins over a rule
/// is the caller's to decide: on Netlify it does unless the rule is forced, on Cloudflare Pages never.
///
/// Origin: Netlify, "Redirects and rewrites"; Cloudflare Pages, "Redirects".
package struct RedirectRules: Sendable {
    /// The most rules read from one file.
    package static let ruleLimit = 100_000

    /// A rule and what it makes of a request.
    package struct Match: Sendable, Hashable {
        /// The rule.
        package let rule: RedirectRule
        /// Its target with placeholders filled in.
        package let target: String
    }

    /// The rules that a packed site honours, in the order of the file.
    package let rules: [RedirectRule]
    /// The rules that it cannot honour; each has a warning.
    package let skipped: [RedirectRule]
    /// The lines that are understood but not honoured, or not in full.
    package let warnings: [PackingWarning]

    let dialect: HostingDialect

    /// The first rule that matches a request; see ``RedirectRule/target(forPath:query:host:)``.
    ///
    /// - Parameter isForced: whether only forced rules count, as they do for a path that has a file.
    package func match(
        path: String, query: String? = nil, host: String? = nil, isForced: Bool = false
    ) -> Match? {
        guard let request = RuleRequest(path: path, host: host, dialect: dialect) else { return nil }
        for rule in rules where rule.isForced || !isForced {
            if let target = rule.target(for: request, query: query) { return Match(rule: rule, target: target) }
        }
        return nil
    }
}
