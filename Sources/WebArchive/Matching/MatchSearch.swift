// SPDX-License-Identifier: Apache-2.0

/// A search for the entry that matches a request. Specification section 8.5.
///
/// The last rule is the outermost loop, so that no rule is tried before all combinations of earlier rules.
struct MatchSearch {
    private let archive: ArchiveReader
    private let variants: URLVariants
    private let request: MatchRequest
    private let isTraced: Bool
    /// The entries that were found by their similar URLs.
    private var similar: [CanonicalURL: SimilarEntries] = [:]
    /// The parameters of the queries of variants, which have few among them.
    private var parameters: [ArraySlice<UInt8>: QueryParameters] = [:]
    /// The content of the request, once the search is for similar content.
    private var similarContent: SimilarContent?
    /// The steps so far; none unless the search is traced.
    private(set) var steps: [MatchExplanation.Step] = []
    /// Whether any examined capture depends on fields of the request, so that a different request may have a different response.
    private(set) var dependsOnFields = false

    /// Creates a search for a single run.
    ///
    /// - Parameter isTraced: whether ``steps`` are kept, which takes memory for each try.
    init(_ matcher: ArchiveMatcher, _ request: MatchRequest, isTraced: Bool) {
        archive = matcher.archive
        variants = URLVariants(options: matcher.options)
        self.request = request
        self.isTraced = isTraced
    }

    /// Tries all rules.
    mutating func run() throws(ArchiveError) -> ArchiveMatch? {
        if let match = try runKeepingQuery() { return match }
        return try runLosingQuery()
    }

    /// Tries all rules but ``MatchRule/queryOfFile``, ``MatchRule/withoutQuery`` and ``MatchRule/similarContent``.
    mutating func runKeepingQuery() throws(ArchiveError) -> ArchiveMatch? {
        try search(URLVariants.Variant(url: request.url, rules: []))
    }

    /// Tries ``MatchRule/queryOfFile``, ``MatchRule/withoutQuery`` and ``MatchRule/similarContent`` with all others.
    mutating func runLosingQuery() throws(ArchiveError) -> ArchiveMatch? {
        if variants.mayIgnoreQuery(of: request.url, request.method) {
            for variant in allPaths(URLVariants.Variant(url: request.url, rules: [])) {
                if let match = try search(variant, among: { $0.ofFile }, [.queryOfFile]) { return match }
            }
        }
        if let bare = variants.withoutQuery(request) { return try search(bare) }
        let budget = archive.index.budget
        guard variants.options.uses(.similarContent), let content = SimilarContent(request, within: budget) else {
            return nil
        }
        // A worker has more time.
        if let budget, budget.isQuick { try budget.take(1 << 40) }
        similarContent = content
        return try search(URLVariants.Variant(url: request.url, rules: [.similarContent]))
    }

    /// Searches with all rules that keep the query.
    private mutating func search(_ start: URLVariants.Variant) throws(ArchiveError) -> ArchiveMatch? {
        if let match = try searchPaths(start) { return match }
        if let other = variants.otherScheme(of: start), let match = try searchPaths(other) { return match }
        for kind in variants.ignoredKinds(request.method) where kind != .ignored {
            for variant in allPaths(start) {
                if let match = try search(variant, ignoring: kind) { return match }
            }
        }
        return nil
    }

    /// Searches with the rules that keep query and scheme, up to ``MatchRule/ignoredParameters``.
    private mutating func searchPaths(_ start: URLVariants.Variant) throws(ArchiveError) -> ArchiveMatch? {
        if let match = try search(start, among: nil, []) { return match }
        let others = variants.otherPaths(of: start)
        for path in others {
            if let match = try search(path, among: nil, []) { return match }
        }
        guard variants.options.uses(.ignoredParameters) else { return nil }
        for path in [start] + others {
            if let match = try search(path, ignoring: .ignored) { return match }
        }
        return nil
    }

    /// Returns a variant with all of its paths and schemes, in the order in which they are tried.
    private func allPaths(_ start: URLVariants.Variant) -> [URLVariants.Variant] {
        [start, variants.otherScheme(of: start)].compactMap(\.self).flatMap { [$0] + variants.otherPaths(of: $0) }
    }

    private mutating func search(
        _ variant: URLVariants.Variant, ignoring kind: ParameterKind
    ) throws(ArchiveError) -> ArchiveMatch? {
        try search(variant, among: { $0[kind] }, [kind.rule])
    }

    /// - Parameters:
    ///   - choice: a choice among the entries of similar URLs; nil for the entries of the URL itself.
    ///   - added: the rules of that choice.
    private mutating func search(
        _ variant: URLVariants.Variant, among choice: ((SimilarEntries) -> [ArchiveEntry])?, _ added: [MatchRule]
    ) throws(ArchiveError) -> ArchiveMatch? {
        let rules = variant.rules + added
        let similar = try choice.mapTyped { (choice) throws(ArchiveError) in choice(try similarEntries(variant.url)) }
        if let match = try search(variant.url, request.method, rules, among: similar) { return match }
        guard request.method == "HEAD", variants.options.uses(.headFromGet) else { return nil }
        return try search(variant.url, "GET", rules + [.headFromGet], among: similar)
    }

    /// Returns the entries of URLs that differ only in their queries, from one look through them for all rules.
    private mutating func similarEntries(_ url: CanonicalURL) throws(ArchiveError) -> SimilarEntries {
        if let known = similar[url] { return known }
        let found = try SimilarEntries(of: url, queryParameters(url), request.method, variants, in: archive)
        similar[url] = found
        return found
    }

    private mutating func queryParameters(_ url: CanonicalURL) throws(ArchiveError) -> QueryParameters {
        let query = url.query ?? []
        if let known = parameters[query] { return known }
        let found = try QueryParameters(
            of: query, variants.ignoredKinds(request.method), variants, within: archive.index.budget)
        parameters[query] = found
        return found
    }

    /// Returns the best entry of a URL and a method; nil if no entry matches.
    ///
    /// - Parameter similar: the entries of other URLs that count as this one; nil: those of the URL.
    private mutating func search(
        _ url: CanonicalURL, _ method: String, _ rules: [MatchRule], among similar: [ArchiveEntry]?
    ) throws(ArchiveError) -> ArchiveMatch? {
        if let similar { return try choose(from: similar, isStored: !similar.isEmpty, method, rules, url) }
        let list = try CaptureList(
            of: url,
            similarContent == nil
                ? .request(method: method, bodyDigest: request.bodyDigest, time: request.time) : .method(method),
            in: archive)
        return try choose(from: list.entries, isStored: list.isStored, method, rules, url)
    }

    /// Chooses the capture for the response: one that fits its `Vary` fields, or, if these may differ, any.
    private mutating func choose(
        from entries: [ArchiveEntry], isStored: Bool, _ method: String, _ rules: [MatchRule], _ url: CanonicalURL
    ) throws(ArchiveError) -> ArchiveMatch? {
        let candidates = try candidates(of: entries, method, rules)
        var fitting: [ArchiveEntry] = []
        var difference: VaryDifference?
        let requestFields = VaryingFields(request.headers)
        for entry in candidates {
            let variance = try entry.variance(from: requestFields)
            dependsOnFields = dependsOnFields || variance.dependsOnFields
            if let found = variance.difference {
                difference = difference ?? found
            } else {
                fitting.append(entry)
            }
        }
        if let entry = try fitting.captured(at: request.time) {
            let match = ArchiveMatch(
                entry: entry, rules: rules.isEmpty ? [.exact] : rules.sorted(),
                isOneOfSeveral: try fitting.haveSeveralTimes)
            note(match.rules, method, url, .matched)
            return match
        }
        let tried = rules.isEmpty ? [.exact] : rules.sorted()
        if let difference {
            note(tried, method, url, .varies(difference))
        } else {
            note(tried, method, url, isStored ? .otherRequestsOnly : .notStored)
        }
        guard variants.options.uses(.anyVariant), let entry = try candidates.captured(at: request.time) else {
            return nil
        }
        let match = ArchiveMatch(
            entry: entry, rules: (rules + [.anyVariant]).sorted(), isOneOfSeveral: try candidates.haveSeveralTimes)
        note(match.rules, method, url, .matched)
        return match
    }

    private func candidates(
        of entries: [ArchiveEntry], _ method: String, _ rules: [MatchRule]
    ) throws(ArchiveError) -> [ArchiveEntry] {
        if let similarContent {
            return try similarContent.mostAlike(of: entries).map { ArchiveEntry($0.place, of: archive) }
        }
        let candidates = try entries.serving(method, request.bodyDigest)
        guard !ArchiveMatcher.Options.recordingRules.isDisjoint(with: rules) else { return candidates }
        return try candidates.withContent(at: request.time)
    }

    private mutating func note(
        _ rules: [MatchRule], _ method: String, _ url: CanonicalURL, _ outcome: MatchExplanation.Outcome
    ) {
        guard isTraced else { return }
        steps.append(MatchExplanation.Step(rules: rules, method: method, url: url.description, outcome: outcome))
    }
}
