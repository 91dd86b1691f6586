// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveBrowser

@testable import WebArchiveServer

extension BrowserTests {
    @Suite(.serialized) struct SiteTests {
        /// At 127.0.0.1, as `serve` shows it; and at its own address through the proxy.
        @Test(arguments: [false, true]) func aSite(_ isProxied: Bool) throws {
            let site = try BrowserSite()
            let authority = isProxied ? try DeviceAuthority(hosts: nil, device: "test", now: Date()) : nil
            let log = site.folder.path("access.log")
            let file = try FileDescriptor.open(
                log, .writeOnly, options: [.create, .append], permissions: .ownerReadWrite)
            defer { try? file.close() }
            let server = try BrowserTests.server(site.path, authority, log: AccessLog(file))
            defer { server.stop(within: .zero) }
            let origin = isProxied ? BrowserSite.origin : "http://127.0.0.1:\(server.port)"
            let browser = try TestBrowser("\(origin)/", of: server, authority: authority)
            let page = browser.page
            page.wait(for: "location.href === '\(origin)/' && document.readyState === 'complete'")
            #expect(try page.evaluate("results()") == .object(sorting: BrowserTests.results))
            #expect(try page.text("document.querySelector('#ships').innerText") == "Ships: 42")
            #expect(try page.text("seek()") == "blue")
            server.service.log?.flush()
            let requests = try String(contentsOfFile: log.string, encoding: .utf8).split(separator: "\n")
            #expect(requests.count { $0.contains("/film.webm HTTP") && $0.contains("\" 206 ") } > 0, "by ranges")
            try page.keepScreenshot(isProxied ? "proxy" : "serve")

            try page.click("#old")
            page.wait(for: "document.title === 'Second'")
            #expect(try page.text("location.href") == "\(origin)/second.html")
            if isProxied { try atOwnAddresses(page) }
            try browser.endInside()
        }

        private func atOwnAddresses(_ page: TestPage) throws {
            let elsewhere = try page.text(
                "fetch('https://cdn.example/open.json').then(a => a.json()).then(a => a.from)")
            #expect(elsewhere == "cdn")
            #expect(try page.text("fetch('https://missing.example/x').then(a => 'came', () => 'refused')") == "refused")
            try page.command("Page.navigate", ["url": .string("\(BrowserSite.origin)/")])
            page.wait(for: "document.title === 'Harbour' && document.readyState === 'complete'")
            try page.click("#away")
            page.wait(for: "document.title === 'This page is not on this device'")
            #expect(try page.text("location.href") == "https://missing.example/page")
            try page.keepScreenshot("missing")
        }

        static let pythonPages = FilePath("/usr/share/doc/python3.11/html")

        /// A large real site, whose search is a script that reads an index.
        @Test(.enabled(if: FileManager.default.fileExists(atPath: pythonPages.appending("searchindex.js").string)))
        func pythonDocumentation() throws {
            let folder = try TemporaryFolder()
            let path = folder.path("python.webarc")
            let packed = try WebarcTool.run(
                "pack", Self.pythonPages.string, "-o", path.string, "--base-url", "https://docs.example/3/", "--quiet",
                "--main-page", "index.html", "--allow-outside-links")
            #expect(packed.status == 0, "\(packed.errorText)")
            let authority = try DeviceAuthority(hosts: nil, device: "test", now: Date())
            var matching = ArchiveMatcher.Options.serving
            matching.ignoredParameters = ["q"]
            let server = try BrowserTests.server(path, authority, matching: matching)
            defer { server.stop(within: .zero) }
            let browser = try TestBrowser(
                "https://docs.example/3/search.html?q=zipfile", of: server, authority: authority)
            browser.page.wait(for: "document.querySelectorAll('#search-results li').length > 10")
            browser.page.wait(for: "/finished/i.test(document.querySelector('#search-results').innerText)")
            try browser.page.keepScreenshot("python-search")
            try browser.endInside()
        }
    }
}
