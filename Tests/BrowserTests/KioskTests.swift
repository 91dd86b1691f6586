// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveBrowser

@testable import WebArchiveKiosk
@testable import WebArchiveServer

extension BrowserTests {
    @Suite(.serialized) struct KioskTests {
        private func run(
            ignoringLinks: Bool = false, change: (inout Kiosk.Options) -> Void = { _ in }
        ) throws -> RunningKiosk {
            let site = try BrowserSite()
            var service = ReplayService.Options()
            service.ignoresLinksOutside = ignoringLinks
            return try RunningKiosk(site.path, title: "Harbour", in: site.folder, service: service, change: change)
        }

        @Test func theSite() throws {
            let running = try run()
            let page = running.page
            #expect(try page.evaluate("results()") == .object(sorting: BrowserTests.results))
            #expect(try page.text("seek()") == "blue")
            #expect(try page.text("location.href") == "https://site.example/")
            // The kiosk's own script is out of sight.
            #expect(try page.text("typeof webarcUsed") == "undefined")
            try page.keepScreenshot("kiosk")
            try running.endInside()
        }

        /// A kiosk with several archives begins with a list of them, and comes back to it.
        @Test func theStartPage() throws {
            let site = try BrowserSite()
            var service = ReplayService.Options()
            service.hasStartPage = true
            let running = try RunningKiosk(site.path, title: "Sites", in: site.folder, service: service)
            let page = running.page
            #expect(try page.text("document.querySelector('main a').href") == "https://site.example/")
            try page.keepScreenshot("kiosk-start")
            try page.click("main h2 a")
            page.wait(for: "document.title === 'Harbour'")
            #expect(try page.text("location.href") == "https://site.example/")
            try running.endInside()
        }

        /// Nothing of one visitor is left for the next: the page, its storage, its cookies and its history.
        @Test func idle() throws {
            let running = try run { $0.idle = .seconds(1) }
            let page = running.page
            #expect(try page.evaluate("results()") == .object(sorting: BrowserTests.results))
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
            let running = try run()
            let page = running.page
            try page.click("#window")
            page.wait(for: "document.title === 'Second'")
            // The other windows that the click opened are closed.
            page.wait("one page") {
                try page.command("Target.getTargets")["targetInfos"]?.items.count {
                    $0["type"] == "page" && $0["url"]?.text?.hasPrefix("http") == true
                } == 1
            }
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
                    ["type": "rawKeyDown", "key": .string(key), "modifiers": .number(modifiers)])
            }
            page.wait(for: "window.keys === 'F12truestrueafalse'")
            try running.end()
        }

        @Test func linksOutside() throws {
            let blocking = try run()
            try blocking.page.click("#away")
            blocking.page.wait(for: "document.title === 'This page is not on this device'")
            try blocking.page.keepScreenshot("kiosk-blocked")
            try blocking.endInside()

            let ignoring = try run(ignoringLinks: true)
            try ignoring.page.click("#away")
            ignoring.page.wait("the link is followed") {
                ignoring.server.service.misses.all.contains { $0.url == "https://missing.example/page" }
            }
            #expect(try ignoring.page.text("document.title") == "Harbour")
            // Parts of a page that are missing are still refused.
            #expect(try ignoring.page.evaluate("fetch('/none').then(response => response.status)") == 504)
            try ignoring.endInside()
        }

        /// A page that crashes and a browser that dies: both come back.
        @Test func crashes() throws {
            let running = try run()
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
