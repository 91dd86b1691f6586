// SPDX-License-Identifier: Apache-2.0

/// A matcher of requests to an archive's entries, as a user expects: exactly if possible, otherwise by rules where it
/// must.
///
/// The rules are tried in the order of ``MatchRule``. Work is bounded for any archive: at most 1,000 entries
/// of a URL for the request are examined, and 32 MiB of the index are decoded. A matcher keeps nothing between
/// requests and may be used by any number of threads. Specification section 8.5.
///
/// ```swift
/// let matcher = ArchiveMatcher(archive, options: .serving)
/// let request = MatchRequest(url: try CanonicalURL("https://notes.example/logo"))
/// if let match = try matcher.match(request) {
///     print(try match.entry.key, match.rules)
/// } else {
///     print(try matcher.explain(request))
/// }
/// ```
public struct ArchiveMatcher: Sendable {
    /// The archive that is searched.
    public let archive: ArchiveReader
    /// The rules that apply, with their parameters.
    public let options: Options

    /// Creates a matcher for an archive, at no cost.
    ///
    /// - Parameters:
    ///   - archive: the archive, which is kept open.
    ///   - options: the options; by default those of ``Options/standardRules``.
    public init(_ archive: ArchiveReader, options: Options = Options()) {
        self.archive = archive
        self.options = options
    }

    /// Finds the entry that matches a request, with the rules that were needed.
    ///
    /// The redirect rules of the publisher are not applied: ``explain(_:)`` does that, as servers and the URL loading
    /// system do. An exact match takes one lookup in each commit; a miss takes one for each variant that
    /// the rules make.
    ///
    /// - Parameter request: its header fields count only where a stored response varies by them.
    /// - Returns: the match, whose ``ArchiveEntry/response`` is nil if the entry has no response; nil if
    ///   none matches.
    /// - Throws: `damaged` or `io`; `limitExceeded` if entries share texts so that the request would decode more than
    ///   32 MiB (specification section 10).
    public func match(_ request: MatchRequest) throws(ArchiveError) -> ArchiveMatch? {
        var dependsOnFields = false
        return try match(request, within: .forRequest(), dependsOnFields: &dependsOnFields)
    }

    /// Finds the entry as ``match(_:)`` does, with a part of the rules.
    ///
    /// - Parameters:
    ///   - request: the request, as in ``match(_:)``.
    ///   - part: the rules to try.
    ///   - budget: the budget of the request, for any number of archives.
    ///   - dependsOnFields: a flag that is set to true if a request with other fields may have a different result (RFC 9111 section 4.1).
    /// - Throws: `damaged` or `io`; `limitExceeded` once the budget is used up.
    package func match(
        _ request: MatchRequest, _ part: RulePart = .all, within budget: DecodingBudget, dependsOnFields: inout Bool
    ) throws(ArchiveError) -> ArchiveMatch? {
        var search = MatchSearch(limited(to: budget), request, isTraced: false)
        let match =
            switch part {
            case .all: try search.run()
            case .keepingQuery: try search.runKeepingQuery()
            case .losingQuery: try search.runLosingQuery()
            }
        dependsOnFields = dependsOnFields || search.dependsOnFields
        return match.map(unlimited)
    }

    /// A part of the rules: all archives are searched with the query before any of them is searched without it, or for other content
    /// (specification section 8.5).
    package enum RulePart {
        /// All rules of the options.
        case all
        /// All but ``MatchRule/queryOfFile``, ``MatchRule/withoutQuery`` and ``MatchRule/similarContent``.
        case keepingQuery
        /// These three, and the others with them: a part of the request does not count.
        case losingQuery
    }

    private func limited(to budget: DecodingBudget) -> ArchiveMatcher {
        ArchiveMatcher(archive.limited(to: budget), options: options)
    }

    /// Returns the match in the caller's own archive, so that later reads use the caller's budget.
    private func unlimited(_ match: ArchiveMatch) -> ArchiveMatch {
        ArchiveMatch(
            entry: ArchiveEntry(match.entry.place, of: archive), rules: match.rules,
            isOneOfSeveral: match.isOneOfSeveral)
    }

    /// Explains the response to a request, or a miss: each rule that is tried, the redirect rule of the publisher
    /// that decides, and on a miss the nearest entries.
    ///
    /// Reads the rule files of the archive, unless ``Options/appliesRedirectRules`` is false. It takes several times as
    /// long as ``match(_:)``; the nearest entries are omitted if finding them would decode more than 1 MiB.
    ///
    /// - Parameter request: the request, as in ``match(_:)``.
    /// - Returns: the account, for people and for programs.
    /// - Throws: `damaged` or `io`; `limitExceeded` as ``match(_:)``, and where the redirect rules take too many steps.
    public func explain(_ request: MatchRequest) throws(ArchiveError) -> MatchExplanation {
        try explain(request, hints: .forHint())
    }

    /// Explains a request as ``explain(_:)`` does.
    ///
    /// - Parameter hints: the budget for the nearest entries, which are omitted once it is used up.
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

    /// Explains a request as ``explain(_:)`` does, without redirect rules.
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
