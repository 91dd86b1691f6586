// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay

extension BrowserTests {
    @Suite(.serialized) struct KioskTests {
        /// A kiosk without a screen, for one test.
        private final class Running {
            let site: BrowserSite
            let kiosk: Kiosk
            let server: ReplayServer
            let page: TestPage
            private let thread: BackgroundThread<Void>

            init(idle: Duration? = nil, ignoringLinks: Bool = false) throws {
                site = try BrowserSite()
                var options = Kiosk.Options()
                options.display = .headless
                options.idle = idle
                options.browserOptions = [NetworkLog.option(site.folder.path("net.json"))]
                let kiosk = try Kiosk(KioskBrowser.find(), options: options, logger: BrowserTests.logger)
                var service = ReplayService.Options()
                service.ignoresLinksOutside = ignoringLinks
                let server = try BrowserTests.server(site.path, kiosk.authority, options: service)
                (self.kiosk, self.server) = (kiosk, server)
                thread = BackgroundThread { kiosk.run(on: server) }
                page = TestPage { kiosk.control }
                page.wait(for: "document.title === 'Harbour' && document.readyState === 'complete'")
            }

            /// Ends as the command does on a signal.
            func end(sourceLocation: SourceLocation = #_sourceLocation) throws {
                kiosk.stop()
                try thread.value()
                server.stop(within: .zero)
                try NetworkLog(reading: site.folder.path("net.json"))
                    .expectOnly(port: server.port, sourceLocation: sourceLocation)
            }
        }

        @Test func theSite() throws {
            let running = try Running()
            let page = running.page
            #expect(try page.evaluate("results()") == .object(BrowserTests.results))
            #expect(try page.text("seek()") == "blue")
            #expect(try page.text("location.href") == "https://site.example/")
            // The kiosk's own script is out of sight.
            #expect(try page.text("typeof webarcUsed") == "undefined")
            try page.keepScreenshot("kiosk")
            try running.end()
        }

        /// What one visitor did is gone for the next: the page, its storage, its cookies and its history.
        @Test func idle() throws {
            let running = try Running(idle: .seconds(1))
            let page = running.page
            #expect(try page.evaluate("results()") == .object(BrowserTests.results))
            let first = try page.evaluate(
                "localStorage.visitor = 'was here'; document.cookie = 'a=b'; window.mark = 1; performance.timeOrigin")
            // Nobody was there yet: the page stays. A click is use.
            #expect(try page.evaluate("window.mark") == 1)
            try page.click("#second")
            page.wait(for: "document.title === 'Harbour' && performance.timeOrigin > \(first.number ?? 0)")
            page.wait(for: "!localStorage.visitor && document.cookie === ''")
            page.wait("nothing to go back to") {
                try page.command("Page.getNavigationHistory")["entries"]?.items.count == 1
            }
            try running.end()
        }

        @Test func windowsAndFiles() throws {
            let running = try Running()
            let page = running.page
            try page.click("#window")
            page.wait(for: "document.title === 'Second'")
            #expect(try page.command("Target.getTargets")["targetInfos"]?.items.count { $0["type"] == "page" } == 1)
            running.kiosk.archiveChanged()
            page.wait(for: "document.title === 'Harbour' && document.readyState === 'complete'")
            _ = try page.evaluate("document.querySelector('#file').oncancel = () => document.title = 'no files'")
            try page.click("#file")
            page.wait(for: "document.title === 'no files'")
            // Keys of the browser are not for visitors; those of the page are.
            _ = try page.evaluate(
                "addEventListener('keydown', e => window.keys = (window.keys ?? '') + e.key + e.defaultPrevented)")
            for (key, modifiers) in [("F12", 0), ("s", 2), ("a", 0)] as [(String, Int)] {
                try page.command(
                    "Input.dispatchKeyEvent",
                    ["type": "rawKeyDown", "key": .string(key), "modifiers": .number(Double(modifiers))])
            }
            page.wait(for: "window.keys === 'F12truestrueafalse'")
            try running.end()
        }

        @Test func linksOutside() throws {
            let blocking = try Running()
            try blocking.page.click("#away")
            blocking.page.wait(for: "document.title === 'This page is not on this device'")
            try blocking.page.keepScreenshot("kiosk-blocked")
            try blocking.end()

            let ignoring = try Running(ignoringLinks: true)
            try ignoring.page.click("#away")
            ignoring.page.wait("the link is followed") {
                ignoring.server.service.misses.all.contains { $0.url == "https://missing.example/page" }
            }
            #expect(try ignoring.page.text("document.title") == "Harbour")
            // Parts of a page that are missing are still refused.
            #expect(try ignoring.page.evaluate("fetch('/none').then(answer => answer.status)") == 504)
            try ignoring.end()
        }

        /// A page that crashes and a browser that dies: both come back.
        @Test func crashes() throws {
            let running = try Running()
            let page = running.page
            _ = try page.evaluate("window.mark = 1")
            #expect(throws: (any Error).self) { try page.command("Page.crash") }
            page.wait(for: "document.title === 'Harbour' && !window.mark")
            _ = try page.evaluate("window.mark = 1")
            let before = running.kiosk.control
            #expect(throws: (any Error).self) { try page.command("Browser.crash") }
            page.wait(for: "document.title === 'Harbour' && !window.mark")
            #expect(running.kiosk.control !== before)
            try running.end()
        }
    }
}
