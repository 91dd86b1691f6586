// SPDX-License-Identifier: Apache-2.0

/// A matcher of requests to an archive's entries, as a user would expect: exactly where it can, and by rules where it must.
///
/// The rules are tried in the order of ``MatchRule``; work is bounded whatever the archive holds. Specification section 8.5.
public struct ArchiveMatcher: Sendable {
    /// The archive in which entries are sought.
    public let archive: ArchiveReader
    /// The rules that apply.
    public let options: Options

    /// Creates a matcher for an archive. Costs nothing.
    public init(_ archive: ArchiveReader, options: Options = Options()) {
        self.archive = archive
        self.options = options
    }

    /// The entry that matches a request, and by which rules; nil if none does.
    ///
    /// - Throws: `damaged` or `io`.
    public func match(_ request: MatchRequest) throws(ArchiveError) -> ArchiveMatch? {
        var dependsOnFields = false
        return try match(request, within: .forRequest(), dependsOnFields: &dependsOnFields)
    }

    /// As ``match(_:)``.
    ///
    /// - Parameters:
    ///   - part: the rules to try.
    ///   - budget: of the request, whatever the number of archives.
    ///   - dependsOnFields: set to true if a request with other fields may have another result (RFC 9111 section 4.1).
    package func match(
        _ request: MatchRequest, _ part: RulePart = .all, within budget: DecodingBudget, dependsOnFields: inout Bool
    ) throws(ArchiveError) -> ArchiveMatch? {
        var search = MatchSearch(limited(to: budget), request, isTraced: false)
        let match =
            switch part {
            case .all: try search.run()
            case .keepingQuery: try search.runKeepingQuery()
            case .withoutQuery: try search.runWithoutQuery()
            }
        dependsOnFields = dependsOnFields || search.dependsOnFields
        return match.map(unlimited)
    }

    /// A part of the rules: several archives are searched with the query before any of them is without it.
    package enum RulePart {
        case all
        /// All but ``MatchRule/withoutQuery``.
        case keepingQuery
        /// ``MatchRule/withoutQuery``, and the others with it.
        case withoutQuery
    }

    private func limited(to budget: DecodingBudget) -> ArchiveMatcher {
        ArchiveMatcher(archive.limited(to: budget), options: options)
    }

    /// The match in the caller's own archive, so that what is read from it later has the caller's budget.
    private func unlimited(_ match: ArchiveMatch) -> ArchiveMatch {
        ArchiveMatch(entry: ArchiveEntry(match.entry.place, of: archive), rules: match.rules)
    }

    /// Tells how a request is answered, or why it is not: each rule that is tried, the redirect rule of the publisher that decides, and on
    /// a miss what stands nearest.
    ///
    /// Reads the rule files of the archive, unless ``Options/appliesRedirectRules`` is false.
    ///
    /// - Throws: `damaged` or `io`.
    public func explain(_ request: MatchRequest) throws(ArchiveError) -> MatchExplanation {
        try explain(request, hints: .forHint())
    }

    /// As ``explain(_:)``.
    ///
    /// - Parameter hints: the budget for what stands nearest, which is left out once it is used up.
    package func explain(
        _ request: MatchRequest, hints: DecodingBudget
    ) throws(ArchiveError) -> MatchExplanation {
        let result = try SiteMatcher([self]).match(request, within: .forRequest())
        guard let rule = result.rule else { return try explainEntries(request, within: .forRequest(), hints: hints) }
        var explanation = MatchExplanation(request: request, unusedRules: unusedRules)
        explanation.rule = rule
        if !rule.isForced {
            explanation.steps = try explainEntries(request, within: .forRequest(), hints: .forHint()).steps
        }
        guard rule.location == nil else { return explanation }
        var content = request
        content.url = try CanonicalURL(parsing: rule.target)
        let found = try explainEntries(content, within: .forRequest(), hints: hints)
        explanation.steps += found.steps
        (explanation.match, explanation.nearMisses) = (found.match, found.nearMisses)
        return explanation
    }

    /// As ``explain(_:)``, without redirect rules.
    package func explainEntries(
        _ request: MatchRequest, within budget: DecodingBudget, hints: DecodingBudget
    ) throws(ArchiveError) -> MatchExplanation {
        var search = MatchSearch(limited(to: budget), request, isTraced: true)
        let match = try search.run().map(unlimited)
        let steps = search.steps
        var nearest: [NearMiss] = []
        if match == nil {
            do throws(ArchiveError) {
                let search = NearMissSearch(archive: archive.limited(to: hints), request: request)
                nearest = try search.run(steps)
            } catch  where error.code == .limitExceeded {
                // A hint is worth a bounded search.
            }
        }
        var explanation = MatchExplanation(request: request, unusedRules: unusedRules)
        (explanation.steps, explanation.match, explanation.nearMisses) = (steps, match, nearest)
        return explanation
    }

    private var unusedRules: [MatchRule] { MatchRule.allCases.filter { !options.uses($0) } }
}
