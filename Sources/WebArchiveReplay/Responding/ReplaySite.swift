// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// The archives that are replayed: layers, of which the first with a response wins.
///
/// ```swift
/// let site = try ReplaySite([ArchiveReader(path: "patch.webarc"), ArchiveReader(path: "docs.webarc")])
/// print(site.mainPage, try site.hosts())
/// let responder = ReplayResponder(site)
/// ```
///
/// A site may be used from any number of threads. Commits after the opening of an archive are not visible.
public struct ReplaySite: Sendable {
    /// The archives, in the order of the search: a language or a patch, say, before the base.
    public let layers: [ArchiveReader]
    /// The main page: the one that the first layer with one names, else its base URL, else the best page, else the
    /// first entry.
    ///
    /// It may be missing from the archives. Its scheme, host and port are the ``origin``.
    public let mainPage: CanonicalURL
    /// The wanted time of requests that name none: the nearest capture is the response (specification section 8.5). Nil
    /// for the newest one.
    public let time: ArchiveTime?
    /// The URLs of the packed folders.
    ///
    /// The base URLs of the layers' metadata, below which a `404.html` is looked for.
    private let roots: [CanonicalURL]
    /// The matcher of all layers, with the publisher's redirect rules (specification section 8.7).
    private let matcher: SiteMatcher

    /// Creates a site, and chooses its main page.
    ///
    /// The metadata of each layer is read. Where no layer names a main page or a base URL, up to 20,000 entries of a layer are looked at.
    ///
    /// - Parameters:
    ///   - layers: the archives, in the order of the search; at least one.
    ///   - options: the options of matching, the same for all layers; ``ArchiveMatcher/Options/serving`` by default, as served pages are read by
    ///     people.
    ///   - time: the wanted time of requests that name none; nil, the default, for the newest captures.
    /// - Throws: `damaged` or `io` for errors of reading the index; `limitExceeded` for metadata of more than 16 MiB (specification section
    ///   10); `notFound` if no layer has an entry of a URL with a host.
    public init(
        _ layers: [ArchiveReader], options: ArchiveMatcher.Options = .serving, time: ArchiveTime? = nil
    ) throws(ArchiveError) {
        self.layers = layers
        self.time = time
        matcher = SiteMatcher(layers.map { ArchiveMatcher($0, options: options) })
        var metadata: [[String: String]] = []
        for layer in layers { metadata.append(try layer.metadata()) }
        mainPage = try Self.mainPage(of: layers, metadata)
        roots = metadata.compactMap { $0[MetadataName.baseURL].flatMap { try? CanonicalURL($0) } }
    }

    /// Chooses the main page: metadata take precedence over entries, and an earlier layer over a later one.
    ///
    /// - Parameter metadata: the metadata of each layer, in the order of the layers.
    /// - Throws: `notFound` if no layer has an entry with a host.
    private static func mainPage(
        of layers: [ArchiveReader], _ metadata: [[String: String]]
    ) throws(ArchiveError) -> CanonicalURL {
        if let url = ArchiveReader.namedPage(in: metadata) { return url }
        for layer in layers {
            let budget = DecodingBudget(forPassOver: layer)
            if let best = try BestPages(of: layer, origin: nil, count: 1, within: budget).urls.first { return best }
        }
        for layer in layers {
            if let first = try layer.firstPage() { return first }
        }
        throw ArchiveError(.notFound, "no archive has an entry", path: layers.first?.name)
    }

    /// Scheme, host and port of the main page, as bytes of its canonical form: `https://docs.example`.
    public var origin: ArraySlice<UInt8> { mainPage.root }

    /// Returns the response to a request: that of the first layer with one, or of a publisher's rule.
    ///
    /// - Parameters:
    ///   - request: the request by its canonical URL.
    ///   - budget: the budget for all layers together.
    /// - Throws: `limitExceeded` beyond the budget, and errors of reading.
    func match(_ request: MatchRequest, within budget: DecodingBudget) throws(ArchiveError) -> SiteMatcher.Result {
        try matcher.match(request, within: budget)
    }

    /// Returns the stored pages, the best one first: for a visitor without a main page.
    ///
    /// They are those of the first layer that has pages on the origin of the main page; none if no layer has any.
    ///
    /// - Parameter budget: the budget of a quick request, which pays for the pages; any other request has 8 MiB for them.
    /// - Throws: `damaged` or `io`.
    func bestPages(within budget: DecodingBudget) throws(ArchiveError) -> [CanonicalURL] {
        let hints = budget.isQuick ? budget : DecodingBudget(for: "a list of pages", bytes: 8 << 20)
        var pages: [CanonicalURL] = []
        for layer in layers where pages.isEmpty {
            pages = try BestPages(of: layer, origin: origin, count: Self.bestPageCount, within: hints).urls
        }
        return pages
    }

    /// The maximum number of pages of ``bestPages(within:)``.
    private static let bestPageCount = 30

    /// Whether rules of the publisher replace entries.
    ///
    /// Then a response in the cache may be the wrong one, and each request is matched.
    var hasForcedRules: Bool { matcher.hasForcedRules }

    /// Returns the entry of the site's own page for missing URLs, `404.html`: that of the nearest folder above a URL, the newest or the one
    /// nearest to ``time``.
    ///
    /// The folder must be below the base URL of a layer. Layers are searched in their order for each folder.
    ///
    /// - Returns: the entry, whose response has status 200; nil if there is none.
    /// - Throws: `damaged` or `io`.
    func notFoundPage(for url: CanonicalURL, within budget: DecodingBudget) throws(ArchiveError) -> ArchiveEntry? {
        for root in roots where url.bytes.starts(with: root.bytes) {
            for page in url.notFoundPages(below: root) {
                for layer in layers {
                    let layer = layer.limited(to: budget)
                    if let entry = try layer.newestServed(page, at: time), try entry.response?.status == 200 {
                        return entry
                    }
                }
            }
        }
        return nil
    }

    /// Returns the entries near a request without a response, the likeliest first: those of the first layers that have some.
    ///
    /// - Parameters:
    ///   - request: the request that was not matched.
    ///   - budget: the budget of a quick request, which pays for the hints; any other request has 1 MiB for them.
    /// - Throws: errors of reading.
    func nearMisses(_ request: MatchRequest, within budget: DecodingBudget) throws(ArchiveError) -> [NearMiss] {
        var found: [NearMiss] = []
        let hints = budget.isQuick ? budget : DecodingBudget.forHint()
        for matcher in matcher.matchers where found.count < Self.nearMissCount {
            let misses = try matcher.explainEntries(request, within: budget, hints: hints).nearMisses
            for miss in misses where !found.contains(miss) { found.append(miss) }
        }
        return found
    }

    /// The number of near misses at which no more layers are searched.
    private static let nearMissCount = 20

    /// Returns the hosts of the http and https entries of all layers, in the order of their names, without ports. A certificate for a proxy
    /// names them.
    ///
    /// Costs a few lookups for each origin and layer, however many entries these have.
    ///
    /// - Returns: names in lower case and addresses, as canonical URLs have them (specification section 8.1).
    /// - Throws: `damaged` or `io`.
    public func hosts() throws(ArchiveError) -> [String] {
        var hosts: Set<String> = []
        for layer in layers {
            for origin in try layer.origins() {
                if let url = try? CanonicalURL(origin + "/"), let host = url.host, !host.isEmpty,
                    url.scheme.elementsEqual("http".utf8) || url.scheme.elementsEqual("https".utf8)
                {
                    hosts.insert(String(decoding: host, as: UTF8.self))
                }
            }
        }
        return hosts.sorted()
    }
}

extension ReplaySite {
    /// The maximum number of redirects that browsers follow (Fetch standard, section 4.4).
    private static let maximumRedirectCount = 20

    /// Returns whether the main page exists, at the end of its redirects if it is one, and at a URL other than a page that leads to it.
    ///
    /// An entry that cannot be read counts as a missing one, since the result is for a link only.
    ///
    /// - Parameters:
    ///   - url: the URL of the missing page.
    ///   - budget: the budget, which one search for each redirect uses.
    func mainPageLeads(elsewhereThan url: CanonicalURL, within budget: DecodingBudget) -> Bool {
        var target = mainPage
        for _ in 0...Self.maximumRedirectCount where target != url {
            let request = MatchRequest(url: target, time: time)
            guard case .entry(let match, _)? = try? self.match(request, within: budget).response,
                let outline = try? match.entry.outline
            else { return false }
            guard outline.isRedirect else { return true }
            guard let next = try? match.entry.redirectURL else { return false }
            target = next
        }
        return false
    }
}
