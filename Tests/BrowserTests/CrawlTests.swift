// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveCrawling
import WebArchiveRecording

@testable import WebArchiveBrowser

extension BrowserTests {
    /// Crawls of a site on this machine, whose log says what was loaded.
    @Suite(.serialized) struct CrawlTests {
        private let origin: HTTPTestServer
        private let folder: TemporaryFolder

        init() throws {
            (origin, folder) = (try HTTPTestServer(), try TemporaryFolder())
            origin["/robots.txt"] = .text("User-agent: *\nDisallow: /private\nSitemap: /map.xml.gz\n")
            origin["/map.xml.gz"] = .bytes(
                try Self.gzip("<urlset><loc>\(origin.url("/listed"))</loc></urlset>"), type: "application/gzip")
            let icon = "<link rel=icon href=data:,>"
            origin["/"] = .html(
                """
                \(icon)<title>Start</title><h1>Welcome</h1><a href=/one>1</a> <a href=/two>2</a> <a href=/private>p</a>
                <a href=/file.pdf>f</a> <a href=/moved>m</a> <a href=/x/x/x/>trap</a> <a href=/draft/a>d</a>
                <a href=https://elsewhere.example/>e</a><img src=/small.png srcset="/small.png 1x, /large.png 99x">
                """)
            origin["/one"] = .html(
                "\(icon)<title>One</title><script>fetch('/data', {method: 'POST', body: 'q'})</script>")
            origin["/two"] = .html("\(icon)<title>Two</title><script src=/late.js></script>")
            origin["/late.js"] = .text(
                "setTimeout(() => { document.body.innerHTML = '<a href=/three>3</a>' }, 100)", type: "text/javascript")
            origin["/three"] = .html("\(icon)<title>Three</title><img src=/small.png>")
            origin["/listed"] = .html("\(icon)<title>Listed</title>")
            origin["/data"] = .text("posted")
            origin["/moved"] = .redirect(302, to: "/one")
            origin["/file.pdf"] = .bytes(Array("%PDF-1.4 no more".utf8), type: "application/pdf")
            for name in ["/small.png", "/large.png"] { origin[name] = .bytes(Array(name.utf8), type: "image/png") }
        }

        private static func gzip(_ text: String) throws -> [UInt8] {
            Array(try ExternalTool.run(["gzip", "-c"], input: Data(text.utf8)).output)
        }

        private var path: FilePath { folder.path("site.webarc") }

        private func crawl(_ change: (inout CrawlOptions) -> Void = { _ in }) async throws -> CrawlSummary {
            var scope = CrawlScope(seeds: [try CanonicalURL(origin.url().absoluteString)])
            scope.filter.exclude = [try GlobPattern("/draft/**")]
            var options = CrawlOptions(scope: scope)
            options.proxy.allowsPrivateTargets = true
            change(&options)
            let crawl = try await Crawl(
                path, options: options, browser: InstalledBrowser.find(), logger: BrowserTests.logger)
            return try await crawl.run()
        }

        private func pages() throws -> [String: ArchivePage] {
            let archive = try ArchiveReader(path: path)
            let pages = try (0..<archive.pageCount).map { try archive.page($0).page }
            return Dictionary(pages.map { (String($0.url.dropFirst(origin.url().absoluteString.count - 1)), $0) }) {
                $1
            }
        }

        private func observations() throws -> [String: PageObservation] {
            var found: [String: PageObservation] = [:]
            try ArchiveReader(path: path).forEachObservation { found[$0.url] = $0 }
            return found
        }

        /// The number of the captures of each URL.
        private func captures() throws -> [String: Int] {
            var captures: [String: Int] = [:]
            try ArchiveReader(path: path).forEachEntry { entry throws(ArchiveError) in
                captures[String(try entry.key.dropFirst(origin.url().absoluteString.count - 1)), default: 0] += 1
                return true
            }
            return captures
        }

        private static let all: Set = ["/", "/one", "/two", "/three", "/listed", "/moved"]

        /// Every page is there with what it loaded, and every other URL with a reason; the second run loads nothing.
        @Test func aSite() async throws {
            let busy = HTTPTestResponse(429, ["Retry-After": "0"])
            origin.on("/listed", inTurn: busy, .html("<link rel=icon href=data:,><title>Listed</title>"))
            let summary = try await crawl { $0.visit.takesScreenshot = true }
            #expect(summary.pages == 7 && summary.failureCount == 0 && summary.limit == nil, "\(summary.failures)")
            let counts = summary.skipped.counts.filter { $0.value > 0 }
            #expect(counts == [.robots: 1, .trap: 1, .excluded: 1, .outOfScope: 1])

            let pages = try pages()
            #expect(Set(pages.keys) == Self.all)
            #expect(pages["/"]?.isSeed == true && pages["/three"]?.depth == 2 && pages["/two"]?.title == "Two")
            let archive = try ArchiveReader(path: path)
            let first = archive.page(0)
            let (text, picture) = (try first.text, try first.screenshot)
            #expect(String(decoding: try #require(text).bytes(), as: UTF8.self).contains("Welcome"))
            #expect(try #require(picture).length > 100)
            for (path, body) in [("/file.pdf", "%PDF-1.4 no more"), ("/large.png", "/large.png")] {
                let entry = try archive.entry(for: CanonicalURL(origin.url(path).absoluteString))
                let stored = try entry?.body
                #expect(try #require(stored).bytes() == Array(body.utf8))
            }
            #expect(!origin.requestLines.contains { $0.contains("/private") || $0.contains("/draft") })

            // The observations have the bytes that the server sent.
            let seen = try observations()
            let post = try #require(seen[origin.url("/one").absoluteString]?.requests.first { $0.method == "POST" })
            #expect(post.content == ContentDigest(hashing: Array("q".utf8)))
            #expect(post.body == ContentDigest(hashing: Array("posted".utf8)) && post.status == 200)
            // The second page with a picture has it from the browser's cache.
            let cached = seen[origin.url("/three").absoluteString]?.requests.first { $0.url.hasSuffix("/small.png") }
            #expect(cached?.body == ContentDigest(hashing: Array("/small.png".utf8)))
            let moved = try #require(seen[origin.url("/moved").absoluteString])
            #expect(Set(moved.requests.filter(\.isFrame).map(\.status)) == [200, 302])

            origin.clearRequests()
            let second = try await crawl()
            #expect(second.pages == 0 && second.earlierPages == 7)
            #expect(origin.requestLines.isEmpty, "\(origin.requestLines)")
        }

        /// A crawl that ended early continues with the first page that is missing, and ends as if it had not.
        @Test func anInterruption() async throws {
            origin["/rules"] = .text("User-agent: *\nDisallow: /private\nSitemap: /map.xml.gz\n")
            origin["/robots.txt"] = .redirect(301, to: "/rules")
            let first = try await crawl { $0.limits.pages = 2 }
            #expect(first.limit == .pages && first.pages == 2)
            let done = try pages()
            #expect(done.count == 2 && done["/"] != nil)
            origin.clearRequests()
            let second = try await crawl()
            #expect(second.earlierPages == 2 && second.limit == nil)
            #expect(try Set(pages().keys) == Self.all)
            for path in Array(done.keys) + ["/private"] {
                #expect(!origin.requestLines.contains("GET \(path)"), "\(path)")
            }
        }

        /// A refresh visits every page again, and the archive gets what changed.
        @Test func aRefresh() async throws {
            _ = try await crawl()
            let before = try captures()
            origin.clearRequests()
            origin["/two"] = .html("<link rel=icon href=data:,><title>Second</title><script src=/late.js></script>")
            origin["/three"] = HTTPTestResponse(404)
            let summary = try await crawl { $0.refreshes = true }
            #expect(summary.pages == 7 && summary.earlierPages == 0 && summary.failureCount == 0)
            #expect(summary.vanished == [origin.url("/three").absoluteString] && summary.vanishedCount == 1)
            for name in Self.all.union(["/robots.txt", "/file.pdf"]) {
                #expect(origin.requestLines.contains("GET \(name)"), "\(name)")
            }
            let archive = try ArchiveReader(path: path)
            // The two pages, and the requests with content of two pages.
            let added = try captures().merging(before) { $0 - $1 }.filter { $0.value > 0 }
            #expect(added == ["/two": 1, "/three": 1, "/data": 2])
            #expect(summary.exchanges == 4 && summary.unchanged > 5)
            #expect(try pages()["/two"]?.title == "Second")
            let entry = try archive.entry(for: CanonicalURL(origin.url("/three").absoluteString))
            #expect(try entry?.response?.status == 404)
        }

        /// A server that holds back a resource does not hold up the end, and the next run visits the page again.
        @Test func stoppingDuringALoad() async throws {
            let gate = HTTPTestGate()
            defer { gate.open() }
            origin["/"] = .html("<link rel=icon href=data:,><title>Start</title><img data-src=/held.png>")
            origin["/held.png"] = .bytes([1], type: "image/png").with { $0.gate = gate }
            var options = CrawlOptions(scope: CrawlScope(seeds: [try CanonicalURL(origin.url().absoluteString)]))
            options.usesSitemaps = false
            options.proxy.allowsPrivateTargets = true
            let crawl = try await Crawl(
                path, options: options, browser: InstalledBrowser.find(), logger: BrowserTests.logger)
            async let result = crawl.run()
            #expect(gate.waitForArrivals(1))
            await crawl.stop()
            let summary = try await result
            #expect(summary.isInterrupted && summary.pages == 0 && summary.waiting == 1)
            gate.open()
            let second = try await self.crawl { $0.usesSitemaps = false }
            #expect(second.pages == 1)
            let held = try ArchiveReader(path: path).entry(for: CanonicalURL(origin.url("/held.png").absoluteString))
            #expect(try held?.response?.truncation == nil && held?.body?.bytes() == [1])
        }

        /// A crawl with a user's profile has its cookies, does not store them, and leaves the profile as it is.
        @Test func aProfile() async throws {
            let icon = "<link rel=icon href=data:,>"
            origin["/login"] = .html(icon).field("Set-Cookie", "who=me; Max-Age=3600; Path=/")
            origin.on("/") { request in
                .html("\(icon)<title>\(request.fields["Cookie"] ?? "nobody")</title>")
            }
            let profile = folder.path("profile")
            let chromium = try InstalledBrowser.find().command
            let root = geteuid() == 0 ? ["--no-sandbox"] : []
            let login = try ExternalTool.run(
                chromium + root + [
                    "--headless", "--user-data-dir=\(profile)", "--password-store=basic", "--dump-dom",
                    "--no-first-run",
                    origin.url("/login").absoluteString,
                ])
            #expect(login.status == 0)
            _ = try await crawl { options in
                options.profile = profile
                options.limits.pages = 1
                options.usesSitemaps = false
            }
            #expect(try pages()["/"]?.title == "who=me")
            let entry = try ArchiveReader(path: path).entry(for: CanonicalURL(origin.url().absoluteString))
            let stored = try #require(entry)
            #expect(try stored.request.headers["Cookie"] == nil && stored.request.headers["User-Agent"] != nil)
        }

        /// The field of a login goes to the site alone, and a user's script runs in each page.
        @Test func fieldsAndScripts() async throws {
            let third = try HTTPTestServer()
            third["/font"] = .bytes([1], type: "font/woff2")
            origin["/"] = .html("<link rel=icon href=data:,><img src=\(third.url("/font").absoluteString)><p>x")
            _ = try await crawl { options in
                options.fields = ["Authorization": "Bearer secret", "X-Api-Key": "key"]
                options.visit.script = "fetch('/by-script')"
                options.limits.pages = 1
                options.usesSitemaps = false
            }
            let fields = origin.requests.filter { $0.path != "/robots.txt" }.map { $0.fields["Authorization"] }
            #expect(!fields.isEmpty && fields.allSatisfy { $0 == "Bearer secret" })
            #expect(third.requests.count == 1 && third.requests[0].fields["Authorization"] == nil)
            #expect(
                origin.requests.contains { $0.fields["X-Api-Key"] == "key" }
                    && third.requests[0].fields["X-Api-Key"] == nil)
            try ArchiveReader(path: path).forEachEntry { entry throws(ArchiveError) in
                let fields = try entry.request.headers
                #expect(fields["X-Api-Key"] == nil && fields["Authorization"] == nil)
                return true
            }
            #expect(origin.requestLines.contains("GET /by-script"))
        }
    }
}
