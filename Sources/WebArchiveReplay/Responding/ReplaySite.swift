// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// The archives that are replayed: layers, of which the first that has an answer wins.
public struct ReplaySite: Sendable {
    /// A language or a patch, say, before the base.
    public let layers: [ArchiveReader]
    /// The page to begin with: what the first layer that tells one says, else its base URL, else the first entry.
    public let mainPage: CanonicalURL
    let matchers: [ArchiveMatcher]

    /// - Throws: `damaged` or `io`; `notFound` if no layer has an entry.
    public init(_ layers: [ArchiveReader], options: MatchOptions = MatchOptions()) throws(ArchiveError) {
        self.layers = layers
        matchers = layers.map { ArchiveMatcher($0, options: options) }
        mainPage = try Self.mainPage(of: layers)
    }

    private static func mainPage(of layers: [ArchiveReader]) throws(ArchiveError) -> CanonicalURL {
        var metadata: [[String: String]] = []
        for layer in layers { metadata.append(try layer.metadata()) }
        for name in [MetadataName.mainPage, MetadataName.baseURL] {
            for values in metadata {
                if let text = values[name], let url = try? CanonicalURL(text), url.host != nil {
                    return url
                }
            }
        }
        for layer in layers {
            var first: CanonicalURL?
            try layer.forEachEntry { entry throws(ArchiveError) in
                if try entry.kind != nil { first = try? CanonicalURL(utf8: entry.keyBytes) }
                return first?.host == nil
            }
            if let first { return first }
        }
        throw ArchiveError(.notFound, "nothing to show: no archive has an entry", path: layers.first?.name)
    }

    /// Scheme, host and port of the main page.
    public var origin: ArraySlice<UInt8> { mainPage.root }

    /// The entry that answers a request: that of the first layer with one.
    ///
    /// A `GET` or `HEAD` with a query that no layer has is answered by the page without one, as servers of files do it.
    func match(_ request: MatchRequest) throws(ArchiveError) -> ArchiveMatch? {
        if let match = try exactMatch(request) { return match }
        guard request.url.query != nil, ["GET", "HEAD"].contains(request.method) else { return nil }
        var bare = request
        guard let url = try? CanonicalURL(utf8: Array(request.url.bytes[..<request.url.path.endIndex])) else {
            return nil
        }
        bare.url = url
        return try exactMatch(bare)
    }

    private func exactMatch(_ request: MatchRequest) throws(ArchiveError) -> ArchiveMatch? {
        for matcher in matchers {
            if let match = try matcher.match(request), try match.entry.kind != nil { return match }
        }
        return nil
    }

    /// What stands near a request that nothing answers, the likeliest first.
    func nearMisses(_ request: MatchRequest) throws(ArchiveError) -> [NearMiss] {
        var found: [NearMiss] = []
        for matcher in matchers {
            for miss in try matcher.explain(request).nearMisses where !found.contains(miss) { found.append(miss) }
        }
        return found
    }

    /// The hosts that the layers have entries for, in the order of their names.
    ///
    /// - Throws: `damaged` or `io`.
    public func hosts() throws(ArchiveError) -> [String] {
        var hosts: Set<String> = []
        for layer in layers {
            for origin in try layer.origins() {
                if let host = (try? CanonicalURL(origin + "/"))?.host {
                    hosts.insert(String(decoding: host, as: UTF8.self))
                }
            }
        }
        return hosts.sorted()
    }
}
