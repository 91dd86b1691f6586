// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveRecording

/// The loader of the files by which hosts describe themselves, robots.txt and sitemaps: from the archive if it has them, otherwise by the proxy, which
/// records them.
struct HostFiles: Sendable {
    let load: @Sendable (CanonicalURL) async -> (status: Int?, body: [UInt8])

    /// The number of redirects that are followed: RFC 9309 section 2.3.1.2 demands five.
    private static let maximumRedirectCount = 5
    /// The number of sitemaps of a host that are read.
    private static let maximumSitemapCount = 200

    /// Creates a loader.
    ///
    /// - Parameter maximumLength: the number of bytes of a file that are read.
    init(_ proxy: RecordingProxy, _ finished: FinishedPages, maximumLength: Int = Sitemap.maximumLength) {
        load = { url in
            var url = url
            for _ in 0...Self.maximumRedirectCount {
                if let stored = finished.response(url, maximumLength: maximumLength), stored.status < 500,
                    stored.status != 429
                {
                    guard let target = stored.redirectTarget, let next = try? CanonicalURL(target) else {
                        return (stored.status, stored.body)
                    }
                    url = next
                    continue
                }
                let request = ArchiveRequest(
                    url: url.description, headers: ["Accept": "*/*", "Accept-Encoding": "gzip"])
                guard let loaded = try? await proxy.load(request) else { return (nil, []) }
                if let target = loaded.response.redirectTarget(from: url), let next = try? CanonicalURL(target) {
                    url = next
                    continue
                }
                let length = min(loaded.body?.length ?? 0, UInt64(maximumLength))
                let body = try? loaded.body?.bytes(in: 0..<length)
                return (loaded.response.status, body ?? [])
            }
            return (404, [])
        }
    }

    /// Loads the rules of a host.
    func rules(of host: CanonicalURL) async -> RobotsRules {
        guard let url = try? host.resolving("/robots.txt") else { return .allowingAll }
        let (status, body) = await load(url)
        return RobotsRules(status: status, body: body, agent: CrawlOptions.agent)
    }

    /// Loads the sitemaps of a host one after the other: those that its robots.txt names, or else `/sitemap.xml`.
    ///
    /// - Parameter add: a function that takes the URLs of one sitemap.
    func loadSitemaps(of host: CanonicalURL, rules: RobotsRules, _ add: @Sendable ([String]) async -> Void) async {
        var waiting = rules.sitemaps.isEmpty ? ["/sitemap.xml"] : rules.sitemaps
        var known = Set(waiting)
        var count = 0
        while !waiting.isEmpty, count < Self.maximumSitemapCount, !Task.isCancelled {
            guard let url = try? host.resolving(waiting.removeFirst()), CrawlScope.isOfWeb(url) else { continue }
            count += 1
            let (status, body) = await load(url)
            guard status == 200, let text = GzipFile.decoded(body, maximumLength: Sitemap.maximumLength) else {
                continue
            }
            let sitemap = Sitemap(text)
            if sitemap.isIndex {
                for url in sitemap.urls.prefix(Self.maximumSitemapCount) where known.insert(url).inserted {
                    waiting.append(url)
                }
            } else {
                await add(sitemap.urls)
            }
        }
    }
}
