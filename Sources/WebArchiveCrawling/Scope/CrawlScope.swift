// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// The pages that a crawl visits, by the URLs at which it begins.
///
/// The scheme and a `www.` before the host do not count: a site may link to itself in each spelling.
///
/// ```swift
/// let scope = CrawlScope(seeds: [try CanonicalURL("https://example.org/docs/start.html")])
/// print(scope.decision(try CanonicalURL("http://www.example.org/docs/next.html"), depth: 1, hops: 0))
/// ```
public struct CrawlScope: Sendable {
    /// The extent of a scope.
    public enum Extent: String, Hashable, Sendable, CaseIterable {
        /// The seeds alone.
        case page
        /// The folders of the seeds, with all below them.
        case prefix
        /// The hosts of the seeds, with their ports.
        case host
        /// The registrable domains of the seeds (`example.co.uk`), with all hosts below them.
        case domain
        /// All hosts; the filter determines the pages.
        case custom
    }

    /// A decision about a URL.
    public enum Decision: Hashable, Sendable {
        /// The page is visited. It is this number of links away from the scope, 0 inside of it.
        case visit(hops: Int)
        case skip(SkipReason)
    }

    /// The extent; ``Extent/prefix`` by default.
    public var extent = Extent.prefix
    /// The patterns to include and to exclude; all URLs by default. They narrow the extent, and exclusion takes precedence.
    public var filter = EntryFilter()
    /// The maximum number of links between a page and a seed; nil, as by default, for any.
    public var maximumDepth: Int?
    /// The number of links that lead out of the scope and are followed; 0 by default.
    public var extraHops = 0

    /// The seeds, in their order.
    public let seeds: [CanonicalURL]
    private let places: [Place]

    /// A place of a seed, as the extents compare it.
    private struct Place {
        let site: [UInt8]
        let domain: [UInt8]
        let path: [UInt8]
        let folder: [UInt8]
        let query: [UInt8]?

        init(_ url: CanonicalURL) {
            site = CrawlScope.site(of: url)
            domain = CrawlScope.domain(of: url)
            path = Array(url.path)
            folder = Array(path[..<(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)])
            query = url.query.map(Array.init)
        }
    }

    /// Creates a scope around seeds, with the default extent.
    public init(seeds: [CanonicalURL]) {
        self.seeds = seeds
        places = seeds.map(Place.init)
    }

    /// Decides about a URL that a page links to.
    ///
    /// - Parameters:
    ///   - url: the URL of the link.
    ///   - depth: the number of links from a seed.
    ///   - hops: the number of links by which the page with the link is outside the scope.
    public func decision(_ url: CanonicalURL, depth: Int, hops: Int) -> Decision {
        guard Self.isOfWeb(url), !filter.excludes(url) else {
            return .skip(Self.isOfWeb(url) ? .excluded : .outOfScope)
        }
        if let maximumDepth, depth > maximumDepth { return .skip(.tooDeep) }
        if CrawlTrap.isTrap(url) { return .skip(.trap) }
        if contains(url) {
            return filter.includes(url) ? .visit(hops: 0) : .skip(.notIncluded)
        }
        return hops < extraHops ? .visit(hops: hops + 1) : .skip(.outOfScope)
    }

    /// Returns whether a URL is inside the extent; patterns do not count.
    func contains(_ url: CanonicalURL) -> Bool {
        guard extent != .custom else { return true }
        let place = Place(url)
        return places.contains { seed in
            switch extent {
            case .page: place.site == seed.site && place.path == seed.path && place.query == seed.query
            case .prefix: place.site == seed.site && place.path.starts(with: seed.folder)
            case .host: place.site == seed.site
            case .domain: place.domain == seed.domain
            case .custom: true
            }
        }
    }

    static func isOfWeb(_ url: CanonicalURL) -> Bool {
        url.scheme.elementsEqual("http".utf8) || url.scheme.elementsEqual("https".utf8)
    }

    /// Returns the host without `www.`, with a port that is not the scheme's.
    private static func site(of url: CanonicalURL) -> [UInt8] {
        host(of: url) + (url.port.map { Array(":\($0)".utf8) } ?? [])
    }

    private static func host(of url: CanonicalURL) -> [UInt8] {
        let host = Array(url.host ?? [])
        return host.starts(with: "www.".utf8) ? Array(host.dropFirst(4)) : host
    }

    /// Returns the registrable domain of the host; the host itself for an address, and for a name that is a public suffix.
    private static func domain(of url: CanonicalURL) -> [UInt8] {
        let host = host(of: url)
        guard host.last.map({ !($0 >= 0x30 && $0 <= 0x39) && $0 != UInt8(ascii: "]") }) ?? false else { return host }
        let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        for start in labels.indices.dropFirst() {
            let parent = Array(labels[start...].joined(separator: [UInt8(ascii: ".")]))
            if PublicSuffixes.standard.contains(String(decoding: parent, as: UTF8.self)) {
                return Array(labels[(start - 1)...].joined(separator: [UInt8(ascii: ".")]))
            }
        }
        return host
    }
}
