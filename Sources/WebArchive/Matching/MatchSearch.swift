// SPDX-License-Identifier: Apache-2.0

/// A search for the entry that matches a request. Specification section 8.5.
///
/// The last rule is the outermost loop, so that no rule is tried before all combinations of earlier rules.
struct MatchSearch {
    private let archive: ArchiveReader
    private let variants: URLVariants
    private let request: MatchRequest
    private let isTraced: Bool
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
        return try runWithoutQuery()
    }

    /// Tries all rules but ``MatchRule/withoutQuery``.
    mutating func runKeepingQuery() throws(ArchiveError) -> ArchiveMatch? {
        try search(URLVariants.Variant(url: request.url, rules: []))
    }

    /// Tries ``MatchRule/withoutQuery`` with all others.
    mutating func runWithoutQuery() throws(ArchiveError) -> ArchiveMatch? {
        guard let bare = variants.withoutQuery(request) else { return nil }
        return try search(bare)
    }

    /// Searches with all rules that keep the query.
    private mutating func search(_ start: URLVariants.Variant) throws(ArchiveError) -> ArchiveMatch? {
        if let match = try searchPaths(start) { return match }
        guard let other = variants.otherScheme(of: start) else { return nil }
        return try searchPaths(other)
    }

    /// Searches with all rules that keep query and scheme.
    private mutating func searchPaths(_ start: URLVariants.Variant) throws(ArchiveError) -> ArchiveMatch? {
        if let match = try search(start, ignoringParameters: false) { return match }
        let others = variants.otherPaths(of: start)
        for path in others {
            if let match = try search(path, ignoringParameters: false) { return match }
        }
        guard variants.options.uses(.ignoredParameters) else { return nil }
        for path in [start] + others {
            if let match = try search(path, ignoringParameters: true) { return match }
        }
        return nil
    }

    private mutating func search(
        _ variant: URLVariants.Variant, ignoringParameters: Bool
    ) throws(ArchiveError) -> ArchiveMatch? {
        let rules = variant.rules + (ignoringParameters ? [.ignoredParameters] : [])
        let similar = ignoringParameters ? try entriesIgnoringParameters(variant.url) : nil
        if let match = try search(variant.url, request.method, rules, among: similar) { return match }
        guard request.method == "HEAD", variants.options.uses(.headFromGet) else { return nil }
        return try search(variant.url, "GET", rules + [.headFromGet], among: similar)
    }

    /// Returns the best entry of a URL and a method; nil if no entry matches.
    ///
    /// - Parameter similar: the entries of other URLs that count as this one; nil: those of the URL.
    private mutating func search(
        _ url: CanonicalURL, _ method: String, _ rules: [MatchRule], among similar: [ArchiveEntry]?
    ) throws(ArchiveError) -> ArchiveMatch? {
        if let similar { return try choose(from: similar, isStored: !similar.isEmpty, method, rules, url) }
        let list = try CaptureList(
            of: url, .request(method: method, bodyDigest: request.bodyDigest, time: request.time), in: archive)
        return try choose(from: list.entries, isStored: list.isStored, method, rules, url)
    }

    /// Returns the entries whose URL is the same except for ignored parameters.
    private func entriesIgnoringParameters(_ url: CanonicalURL) throws(ArchiveError) -> [ArchiveEntry] {
        let wanted = variants.parameters(of: url)
        let base = Array(url.bytes[..<url.path.endIndex])
        var found: [ArchiveEntry] = []
        if wanted.isEmpty, let bare = try? CanonicalURL(utf8: base) {
            found = try CaptureList(of: bare, in: archive).entries
        }
        var looked = 0
        try archive.forEachEntry(prefix: String(decoding: base, as: UTF8.self) + "?") { entry throws(ArchiveError) in
            looked += 1
            let key = try entry.keyBytes
            // Taking a query apart costs more than decoding it.
            try archive.index.budget?.take(8 * key.count)
            if variants.parameters(of: key[(base.count + 1)...], are: wanted) { found.append(entry) }
            return looked < CaptureList.limit
        }
        return found
    }

    /// Chooses the capture for the response: one that fits its `Vary` fields, or, if these may differ, any.
    private mutating func choose(
        from entries: [ArchiveEntry], isStored: Bool, _ method: String, _ rules: [MatchRule], _ url: CanonicalURL
    ) throws(ArchiveError) -> ArchiveMatch? {
        let candidates = try entries.serving(method, request.bodyDigest)
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

    private mutating func note(
        _ rules: [MatchRule], _ method: String, _ url: CanonicalURL, _ outcome: MatchExplanation.Outcome
    ) {
        guard isTraced else { return }
        steps.append(MatchExplanation.Step(rules: rules, method: method, url: url.description, outcome: outcome))
    }
}
