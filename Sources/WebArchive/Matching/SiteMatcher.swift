// SPDX-License-Identifier: Apache-2.0

/// A matcher of requests to the layers of a site, with the redirect rules of its publisher. Specification sections 8.5 and 8.7.
///
/// The first layer with a response wins, and the first with a rule that matches. For a request with a time, the nearest of the
/// captures wins that the layers have by the earliest rules.
package struct SiteMatcher: Sendable {
    /// The matchers of the layers.
    package let matchers: [ArchiveMatcher]
    private let rules: [SiteRules]

    /// Reads the redirect rules of the layers, unless the options of a layer disable them.
    ///
    /// Rules that cannot be read are reported when a request needs them.
    ///
    /// - Parameter matchers: the matchers of the layers, the uppermost first. The country of the first one counts for all rules.
    package init(_ matchers: [ArchiveMatcher]) {
        self.matchers = matchers
        rules = matchers.lazy.filter(\.options.appliesRedirectRules).map { SiteRules($0.archive) }
    }

    /// Whether there are redirect rules, which make matching slower.
    package var hasRules: Bool { rules.contains { $0.fileCount > 0 } }

    /// Whether some rules replace entries.
    package var hasForcedRules: Bool { rules.contains(where: \.hasForced) }

    /// The result of matching one request.
    package struct Result {
        /// The response, if one was found.
        package internal(set) var response: Response?
        /// The redirect rule that was applied.
        package internal(set) var rule: AppliedRule?
        /// Whether a request with other fields that `Vary` names may have a different result (RFC 9111 section 4.1).
        package internal(set) var dependsOnFields = false
        /// Whether a client in a different country, of a different language or with other cookies may have a different result.
        package internal(set) var dependsOnClient = false
    }

    /// A response to a request.
    package enum Response {
        /// An entry, with the status of a redirect rule in the place of its own, if that is not nil.
        case entry(ArchiveMatch, status: Int?)
        /// A redirect of a rule; the location is a path or a URL.
        case redirect(status: Int, location: String)
    }

    /// Finds the response to a request; an entry without a response does not count.
    ///
    /// Rules and entries are tried in the order of section 8.7. A layer responds without the query only if no layer has an
    /// entry with it.
    ///
    /// - Parameter budget: the budget for all layers together.
    /// - Throws: `damaged` or `io`; `limitExceeded`, and the error of rule files that cannot be read, if there is no other
    ///   response.
    package func match(_ request: MatchRequest, within budget: DecodingBudget) throws(ArchiveError) -> Result {
        var result = Result()
        let client = RuleClient(request.headers, country: matchers.first?.options.country)
        var applied = hasForcedRules ? try rule(request, isForced: false, client, budget) : nil
        if applied?.rule.isForced != true {
            let forced = applied == nil ? nil : try rule(request, isForced: true, client, budget)
            if let match = try entry(request, &result, budget) {
                // A rule that was packed as an entry has been weighed already.
                applied = try match.entry.role == .exchange ? forced : nil
                if applied == nil { result.response = .entry(match, status: nil) }
            } else if applied == nil {
                if !hasForcedRules { applied = try rule(request, isForced: false, client, budget) }
                if applied == nil, let failure = rules.lazy.compactMap(\.failure).first { throw failure }
            }
        }
        if let applied { try apply(applied, to: request, &result, budget) }
        result.dependsOnClient = client.isAskedAbout
        return result
    }

    private func rule(
        _ request: MatchRequest, isForced: Bool, _ client: RuleClient, _ budget: DecodingBudget
    ) throws(ArchiveError) -> SiteRules.Match? {
        for rules in rules {
            if let match = try rules.match(request, isForced: isForced, client: client, within: budget) { return match }
        }
        return nil
    }

    private func apply(
        _ match: SiteRules.Match, to request: MatchRequest, _ result: inout Result, _ budget: DecodingBudget
    ) throws(ArchiveError) {
        let rule = match.rule
        result.rule = AppliedRule(match)
        guard rule.effect != .redirect else {
            result.response = .redirect(status: rule.status, location: match.target)
            return
        }
        var content = request
        content.url = match.url
        guard var found = try entry(content, &result, budget) else { return }
        // A folder without a slash, say, leads to the one with it: the address is to stay.
        if try found.entry.role == .alias, let target = try found.entry.redirectURL {
            content.url = target
            guard let next = try entry(content, &result, budget) else { return }
            found = next
        }
        result.response = .entry(found, status: rule.effect == .rewrite ? nil : rule.status)
    }

    /// Returns the entry of the first layer with one, for a request with a time the nearest one of all layers.
    ///
    /// A layer responds without the query, or for other content, only if no layer has an entry with it.
    private func entry(
        _ request: MatchRequest, _ result: inout Result, _ budget: DecodingBudget
    ) throws(ArchiveError) -> ArchiveMatch? {
        for part in [ArchiveMatcher.RulePart.keepingQuery, .losingQuery] {
            var isWithoutResponse = false
            var nearest: ArchiveMatch?
            for matcher in matchers {
                guard
                    let match = try matcher.match(
                        request, part, within: budget, dependsOnFields: &result.dependsOnFields)
                else { continue }
                guard try match.entry.kind != nil else {
                    isWithoutResponse = true
                    continue
                }
                guard let time = request.time else { return match }
                nearest =
                    try nearest.mapTyped { (upper) throws(ArchiveError) in try upper.or(match, at: time) } ?? match
            }
            if let nearest { return nearest }
            if isWithoutResponse { return nil }
        }
        return nil
    }
}

extension ArchiveMatch {
    /// Returns this match or that of a lower layer: the one by earlier rules, of two alike the one nearer to a time.
    fileprivate func or(_ lower: ArchiveMatch, at time: ArchiveTime) throws(ArchiveError) -> ArchiveMatch {
        guard let last = rules.last, let lowerLast = lower.rules.last, last == lowerLast else {
            return (rules.last ?? .exact) < (lower.rules.last ?? .exact) ? self : lower
        }
        let (own, others) = (try entry.time, try lower.entry.time)
        let isNearer = ArchiveTime.isPreferred(others, to: own, at: time)
        let chosen = isNearer ? lower : self
        return ArchiveMatch(
            entry: chosen.entry, rules: chosen.rules,
            isOneOfSeveral: isOneOfSeveral || lower.isOneOfSeveral || own != others)
    }
}
