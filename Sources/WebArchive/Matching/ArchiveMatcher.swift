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

    /// Tells how a request was answered, or why it was not: each rule that was tried, and on a miss what stood nearest.
    ///
    /// - Throws: `damaged` or `io`.
    public func explain(_ request: MatchRequest) throws(ArchiveError) -> MatchExplanation {
        try explain(request, within: .forRequest(), hints: .forHint())
    }

    /// As ``explain(_:)``.
    ///
    /// - Parameter hints: the budget for what stood nearest, which is left out once it is used up.
    package func explain(
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
        let unused = MatchRule.allCases.filter { !options.uses($0) }
        return MatchExplanation(
            request: request, steps: steps, match: match, nearMisses: nearest, unusedRules: unused)
    }
}
