// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive
import WebArchiveServer

@testable import WebArchiveBrowser
@testable import WebArchiveKiosk

extension BrowserTests {
    /// Tabs with a proxy and a context of their own.
    @Suite struct VisitContextTests {
        /// Neither sees the cookies of the other, and each is served by its own proxy. The page leaves a response unread, and is idle all the same; a
        /// frame of another site reports as the page does.
        @Test func tabsShareNothing() async throws {
            let servers = try (0..<2).map { _ in try HTTPTestServer() }
            let browserServer = try HTTPTestServer()
            for (number, server) in servers.enumerated() {
                server["http://site.test/"] = .html(
                    """
                    <!doctype html><title>Tab</title><link rel=icon href=data:,><p id=text></p>
                    <script>text.textContent = document.cookie + '|'; document.cookie = 'tab=\(number)'; fetch('/unread')</script>
                    <iframe src=http://frame.test/></iframe>
                    """)
                server["http://frame.test/"] = .html("<p>Frame</p>")
                server["http://site.test/unread"] = HTTPTestResponse(
                    200, ["Content-Type": "text/plain", "Cache-Control": "no-store"], body: HTTPTestBody("unread"))
            }
            let authority = try DeviceAuthority(hosts: [], device: "test", now: Date())
            let browser = try VisitBrowser(
                InstalledBrowser.find(), proxy: browserServer.port, authority: TrustedAuthority(authority))
            var options = VisitOptions()
            options.reporter = "tellTest"
            options.prelude = "tellTest(location.host); delete globalThis.tellTest"
            for server in servers {
                let tab = try await browser.openTab(proxy: server.port)
                let visit = await tab.visit("http://site.test/", options: options)
                #expect(visit.outcome == .loaded && visit.isIdle)
                #expect(visit.text.hasPrefix("|"), "\(visit.text)")
                #expect(Set(visit.reports).isSuperset(of: ["site.test", "frame.test"]), "\(visit.reports)")
                #expect(
                    Set(server.requestLines) == [
                        "GET http://site.test/", "GET http://site.test/unread", "GET http://frame.test/",
                    ])
                #expect(!tab.isUsable)
            }
            #expect(browserServer.requests.isEmpty)
            await browser.close()
        }
    }
}
