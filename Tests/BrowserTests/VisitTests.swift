// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive
import WebArchiveServer

@testable import WebArchiveBrowser
@testable import WebArchiveKiosk

extension BrowserTests {
    /// Visits of pages by a browser whose proxy is a server of the test, so that every request can be compared with the list of the visit.
    @Suite(.serialized) struct VisitTests {
        private let origin: HTTPTestServer

        init() throws {
            origin = try HTTPTestServer()
            origin["http://localhost/"] = .html(Self.page)
            origin["http://localhost/frame"] = .html("<a href=/of-frame>x</a><script>fetch('/in-frame')</script>")
            origin["http://other.test/frame"] = .html("<a href=/foreign>x</a><script>fetch('/foreign-data')</script>")
            origin["http://localhost/worker.js"] = .text("fetch('/in-worker')", type: "text/javascript")
            origin["http://localhost/service.js"] = .text(Self.serviceWorker, type: "text/javascript")
            origin["http://localhost/old"] = .redirect(301, to: "/data")
            for path in ["in-frame", "in-worker", "in-service", "data", "post", "late.png", "lazy.png"] {
                origin["http://localhost/\(path)"] = .text(path)
            }
            origin["http://other.test/foreign-data"] = .text("data")
        }

        private static let page = """
            <!doctype html><title>A page</title><link rel=icon href=data:,>
            <p>Text</p><a href="/one#part">1</a><a href="mailto:x@y">m</a><p hidden>Unseen</p>
            <iframe src=/frame></iframe><iframe src=http://other.test/frame></iframe>
            <img srcset="/small.png 1x, /large.png 99x" hidden loading=lazy>
            <div style=height:9000px></div><div id=end></div>
            <script>
            new Worker('/worker.js')
            fetch('/old').then(() => fetch('/post', { method: 'POST', body: 'content' }))
            alert('Hello'); confirm('Sure?')
            addEventListener('beforeunload', event => { event.preventDefault(); event.returnValue = 'stay' })
            setTimeout(() => { const late = document.body.appendChild(document.createElement('a')); late.href = '/late' }, 300)
            new IntersectionObserver(seen => { if (seen[0].isIntersecting) new Image().src = '/lazy.png' }).observe(
              document.getElementById('end'))
            navigator.serviceWorker.register('/service.js').then(() => navigator.serviceWorker.ready)
              .then(() => fetch('/data?ready'))
            </script>
            """

        private static let serviceWorker = """
            addEventListener('install', event => event.waitUntil(fetch('/in-service')))
            addEventListener('activate', event => event.waitUntil(clients.claim()))
            """

        private func browser() throws -> VisitBrowser {
            let authority = try DeviceAuthority(hosts: [], device: "test", now: Date())
            return try VisitBrowser(
                InstalledBrowser.find(), proxy: origin.port, authority: TrustedAuthority(authority))
        }

        /// The list has exactly the requests that the server saw: of frames in both processes, of both kinds of worker, of scripts; and the page did
        /// not stop at a dialog.
        @Test func everyRequestHasItsPage() async throws {
            let browser = try browser()
            let tab = try await browser.openTab()
            var options = VisitOptions()
            options.takesScreenshot = true
            let visit = await tab.visit("http://localhost/", options: options)
            #expect(visit.outcome == .loaded)
            #expect(visit.status == 200 && visit.isIdle)
            #expect(visit.title == "A page" && visit.finalURL == "http://localhost/")
            #expect(visit.text.contains("Text") && !visit.text.contains("Unseen"))
            #expect(
                Set(visit.links) == [
                    "http://localhost/one", "http://localhost/late", "http://localhost/of-frame",
                    "http://other.test/foreign",
                ])
            #expect(Set(visit.resources) == ["http://localhost/small.png", "http://localhost/large.png"])
            let listed = Set(visit.requests.map { "\($0.method) \($0.url)" })
            #expect(listed == Set(origin.requestLines))
            #expect(
                listed.contains("GET http://localhost/in-service") && listed.contains("GET http://localhost/in-worker"))
            #expect(listed.contains("GET http://localhost/lazy.png"))
            let post = try #require(visit.requests.first { $0.method == "POST" })
            #expect(post.content == ContentDigest(hashing: Array("content".utf8)) && post.status == 200)
            #expect(visit.requests.first { $0.url == "http://localhost/old" }?.status == 301)
            #expect(visit.requests.filter(\.isFrame).count == 3)
            #expect(visit.screenshot?.starts(with: Array("\u{89}PNG".unicodeScalars.map { UInt8($0.value) })) == true)

            // The page is left in spite of its handler, and nothing of it counts for the next one.
            origin["http://localhost/next"] = .html(
                "<title>Next</title><link rel=icon href=data:,><script>fetch('/data')</script>")
            let next = await tab.visit("http://localhost/next")
            #expect(next.title == "Next" && next.outcome == .loaded)
            #expect(Set(next.requests.map(\.url)) == ["http://localhost/next", "http://localhost/data"])
            await browser.close()
            #expect(!browser.isRunning)
        }

        /// A page is scrolled unless it has come to the end that is known before: here the last request needs the scrolling.
        @Test func aKnownEndSparesScrolling() async throws {
            origin["http://localhost/long"] = .html(
                """
                <link rel=icon href=data:,><p>Text</p><div style=height:9000px></div><div id=end></div><script>
                new IntersectionObserver(seen => { if (seen[0].isIntersecting) new Image().src = '/lazy.png' }).observe(
                  document.getElementById('end'))
                </script>
                """)
            func target(_ path: String) -> VisitExpectation.Target {
                .init(method: "GET", url: "http://localhost/\(path)")
            }
            let browser = try browser()
            let tab = try await browser.openTab()
            for (paths, text, expected) in [
                (["long"], "Text", ["long"]), (["long"], "Other", ["long", "lazy.png"]),
                (["long", "lazy.png"], "Text", ["long", "lazy.png"]),
            ] {
                var options = VisitOptions()
                options.expectation = VisitExpectation(targets: Set(paths.map(target)), text: text)
                options.expectation?.sparesBehaviours = true
                let visit = await tab.visit("http://localhost/long", options: options)
                #expect(visit.isIdle && visit.text.trimmingCharacters(in: .whitespacesAndNewlines) == "Text")
                #expect(Set(visit.requests.map(\.url)) == Set(expected.map { "http://localhost/\($0)" }))
            }
            await browser.close()
        }

        /// Pages that do not end as pages do.
        @Test func oddPages() async throws {
            origin["http://localhost/busy"] = .html(
                "<script>setInterval(() => fetch('/data?' + Math.random()), 50)</script>")
            origin["http://localhost/hangs"] = .html("<title>x</title><script>for (;;);</script>")
            origin["http://localhost/file"] = .bytes(Array("data".utf8), type: "application/zip")
            origin["http://localhost/moved"] = .html("<meta http-equiv=refresh content='0;url=/there#x'>")
            origin["http://localhost/there"] = .html("<title>There</title><script>open('/window')</script>")
            origin["http://localhost/cut"] = HTTPTestResponse(200).with { $0.cut = .closeBeforeHead }
            let browser = try browser()
            var tab = try await browser.openTab()
            origin["http://localhost/crashes"] = .html("<img src=/kill>")
            origin.on("http://localhost/kill") { [tab] _ in
                browser.send("Page.crash", [:], tab.session)
                return .text("")
            }
            var options = VisitOptions()
            options.maximumBusy = .seconds(2)
            options.idle = .milliseconds(200)
            let busy = await tab.visit("http://localhost/busy", options: options)
            #expect(busy.outcome == .loaded && !busy.isIdle && busy.requests.count > 2)
            #expect(await tab.visit("http://localhost/file", options: options).outcome == .download)
            let moved = await tab.visit("http://localhost/moved", options: options)
            #expect(moved.finalURL == "http://localhost/there" && moved.title == "There" && moved.status == 200)
            #expect(moved.requests.contains { $0.url == "http://localhost/moved" })
            guard case .failed = await tab.visit("http://localhost/cut", options: options).outcome else {
                Issue.record("a response without a head is a page")
                return
            }
            let missing = await tab.visit("http://localhost/missing", options: options)
            #expect(missing.outcome == .loaded && missing.status == 404)
            let crashed = await tab.visit("http://localhost/crashes", options: options)
            #expect(crashed.outcome == .crashed && !tab.isUsable, "\(crashed)")
            tab = try await browser.openTab()
            options.limit = .seconds(1)
            #expect(await tab.visit("http://localhost/hangs", options: options).outcome == .timedOut)
            tab.close()
            tab = try await browser.openTab()
            options.limit = .seconds(60)
            let there = await tab.visit("http://localhost/there", options: options)
            #expect(there.title == "There", "\(there)")
            await browser.close()
        }
    }
}
