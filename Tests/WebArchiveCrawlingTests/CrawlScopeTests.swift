// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCrawling

@Suite struct CrawlScopeTests {
    private static func decision(
        _ extent: CrawlScope.Extent, _ url: String, hops: Int = 0, _ change: (inout CrawlScope) -> Void = { _ in }
    ) throws -> CrawlScope.Decision {
        var scope = CrawlScope(seeds: [try CanonicalURL("https://www.example.co.uk/docs/start.html?a=1")])
        scope.extent = extent
        change(&scope)
        return scope.decision(try CanonicalURL(url), depth: 1, hops: hops)
    }

    @Test(arguments: [
        ("http://example.co.uk/docs/start.html?a=1", 5), ("https://www.example.co.uk/docs/deep/er", 4),
        ("https://example.co.uk/docs/", 4), ("https://example.co.uk/docs", 3), ("https://example.co.uk/other", 3),
        ("https://shop.example.co.uk/docs/x", 2), ("https://example.co.uk:8443/docs/x", 2),
        ("https://other.co.uk/docs/x", 1), ("https://example.org/docs/x", 1), ("ftp://example.co.uk/docs/x", 0),
    ]) func extents(_ url: String, _ count: Int) throws {
        // Each extent includes those before it.
        let extents: [CrawlScope.Extent] = [.page, .prefix, .host, .domain, .custom]
        for (place, extent) in extents.enumerated() {
            let expected: CrawlScope.Decision = place >= 5 - count ? .visit(hops: 0) : .skip(.outOfScope)
            #expect(try Self.decision(extent, url) == expected, "\(extent) \(url)")
        }
    }

    @Test func patternsDepthAndHops() throws {
        let inside = "https://example.co.uk/docs/x/y"
        let exclude = { (scope: inout CrawlScope) in scope.filter.exclude = [try! GlobPattern("/docs/x/**")] }
        let include = { (scope: inout CrawlScope) in scope.filter.include = [try! GlobPattern("/docs/z/**")] }
        #expect(try Self.decision(.prefix, inside, exclude) == .skip(.excluded))
        #expect(try Self.decision(.prefix, inside, include) == .skip(.notIncluded))
        #expect(try Self.decision(.prefix, inside) { $0.maximumDepth = 0 } == .skip(.tooDeep))
        let outside = "https://elsewhere.example/x/y"
        let hops = { (scope: inout CrawlScope) in scope.extraHops = 1 }
        #expect(try Self.decision(.prefix, outside, hops) == .visit(hops: 1))
        #expect(try Self.decision(.prefix, outside, hops: 1, hops) == .skip(.outOfScope))
        #expect(try Self.decision(.prefix, inside, hops: 1, hops) == .visit(hops: 0))
        #expect(
            try Self.decision(.prefix, "https://elsewhere.example/docs/x/") { scope in
                exclude(&scope)
                hops(&scope)
            } == .skip(.excluded))
    }

    @Test(arguments: [
        "/a/a/a/x", "/docs/cal/cal/cal", "/a/b/a/b/a/b/", "/x/1/2/3/1/2/3/1/2/3", String(repeating: "/ab", count: 41),
        "/?" + String(repeating: "x", count: 2_048),
    ]) func traps(_ path: String) throws {
        #expect(CrawlTrap.isTrap(try CanonicalURL("https://a.example" + path)))
    }

    @Test(arguments: ["/a/a/b/b/a/a/", "/2024/01/2024/02", "/", "/api/v1/api/v2/api/v3"])
    func noTraps(_ path: String) throws { #expect(!CrawlTrap.isTrap(try CanonicalURL("https://a.example" + path))) }

    @Test(arguments: [
        ("https://a.example/x?PHPSESSID=1&b=2", "https://a.example/x?b=2&phpsessid=3"),
        ("https://a.example/x;jsessionid=1?b", "https://a.example/x?b"),
        ("https://a.example/x?sid=1", "https://a.example/x"),
    ]) func sessions(_ one: String, _ other: String) throws {
        #expect(try CrawlTrap.identity(CanonicalURL(one)) == CrawlTrap.identity(CanonicalURL(other)))
    }
}

@Suite struct CrawlFrontierTests {
    /// A site of pages with random links, as lists.
    private static func walk(
        _ links: [[Int]], _ random: inout SeededGenerator, tabs: Int, stopAfter count: Int = .max,
        finished: [String: [String]] = [:]
    ) throws -> (order: [String], finished: [String: [String]]) {
        var frontier = CrawlFrontier(CrawlScope(seeds: [try CanonicalURL("https://a.example/0")]))
        var (running, done): ([CrawlFrontier.Item], [String: [String]]) = ([], finished)
        var visited = 0
        while !frontier.isDone, visited < count {
            while running.count < tabs, let item = frontier.next() {
                if let known = finished[item.url.description] {
                    frontier.finish(item, links: known)
                } else {
                    running.append(item)
                }
            }
            guard !running.isEmpty else { continue }
            let item = running.remove(at: Int.random(in: 0..<running.count, using: &random))
            let number = Int(item.url.description.split(separator: "/").last!)!
            let found = links[number].map { "https://a.example/\($0)" }
            done[item.url.description] = found
            visited += 1
            frontier.finish(item, links: found)
        }
        return (frontier.items.map(\.url.description), done)
    }

    /// The order is that of one tab, however many there are and whichever page ends first, and after any interruption.
    @Test func orderAndResumption() throws {
        var random = SeededGenerator.printed()
        for _ in 0..<20 {
            let count = Int.random(in: 1...40, using: &random)
            let links = (0..<count).map { _ in
                (0..<Int.random(in: 0...5, using: &random)).map { _ in Int.random(in: 0..<count, using: &random) }
            }
            // The walk by hand.
            var expected = [0]
            var place = 0
            while place < expected.count {
                for link in links[expected[place]] where !expected.contains(link) { expected.append(link) }
                place += 1
            }
            let order = expected.map { "https://a.example/\($0)" }
            #expect(try Self.walk(links, &random, tabs: 1).order == order)
            let stop = Int.random(in: 0...count, using: &random)
            let half = try Self.walk(links, &random, tabs: 3, stopAfter: stop)
            let rest = try Self.walk(links, &random, tabs: 4, finished: half.finished)
            #expect(rest.order == order)
            #expect(Set(rest.finished.keys) == Set(order))
        }
    }

    /// A site may name any number of URLs, each of any length.
    @Test func longURLsEndTheList() throws {
        var frontier = CrawlFrontier(CrawlScope(seeds: [try CanonicalURL("https://a.example/")]), maximumLength: 1_000)
        let long = String(repeating: "x", count: 300)
        frontier.add(listed: (0..<9).map { "https://a.example/\($0)\(long)" })
        #expect(frontier.waitingCount == 1 + 4 && frontier.skipped.counts[.tooMany] == 5)
    }

    /// Each URL that is not visited has one reason, and a page that is nearer by another link is visited all the same.
    @Test func reasons() throws {
        var scope = CrawlScope(seeds: [try CanonicalURL("https://a.example/")])
        scope.extraHops = 1
        var frontier = CrawlFrontier(scope, maximumVariants: 2)
        let first = frontier.next()
        let seed = try #require(first)
        frontier.finish(
            seed,
            links: [
                "https://a.example/cal?m=1&sid=5", "https://a.example/cal?m=1&sid=6", "https://b.example/",
                "mailto:x@y",
            ]
                + (2...4).map { "https://a.example/cal?m=\($0)" })
        let pages = (0..<3).compactMap { _ in frontier.next() }
        #expect(
            pages.map(\.url.description) == [
                "https://a.example/cal?m=1&sid=5", "https://b.example/", "https://a.example/cal?m=2",
            ])
        frontier.finish(pages[1], links: ["https://c.example/", "https://c.example/", "https://d.example/"])
        frontier.finish(pages[0], links: [])
        #expect(frontier.skipped.counts[.outOfScope] == 2 + 1)
        frontier.finish(pages[2], links: ["https://c.example/"])
        let last = frontier.next()
        #expect(last?.url.description == "https://c.example/" && frontier.skipped.counts[.outOfScope] == 2)
        #expect(frontier.skipped.counts[.variants] == 2)
        #expect(frontier.skipped.examples[.variants]?.first?.description == "https://a.example/cal?m=3")
    }
}
