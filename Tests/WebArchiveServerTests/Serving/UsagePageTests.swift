// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization
import TestSupport
import Testing
import WebArchive
import WebArchiveReplay

@testable import WebArchiveServer

@Suite struct UsagePageTests {
    @Test func usageIsOnTheServersOwnPages() throws {
        var options = ReplayService.Options()
        options.usage = ProgramUsage(
            metrics: { [ProgramUsage.Metric(name: "kiosk_pages_total", help: "Pages.", value: 7)] },
            json: { ["days": .array([])] })
        let client = try ExplorerClient(ReplaySample(), options: options)
        #expect(try client.html("/-/metrics").contains("\nwebarc_kiosk_pages_total 7\n"))
        #expect(try client.json("/-/usage")["days"] is [Any])
        #expect(client.get("/-/usage", [.fetchDestination: "empty"]).status == 403)
        let without = try ExplorerClient(ReplaySample())
        #expect(without.get("/-/usage").status == 404)
        #expect(try !without.html("/-/metrics").contains("kiosk"))
    }

    /// Requests of a browser to the proxy: pages are reported, and parts of pages are not.
    @Test(
        arguments: [
            ("https://site.example/", [.secFetchMode: "navigate", .fetchDestination: "document"], "main"),
            ("http://gone.example/", [.upgradeInsecureRequests: "1"], "missing"),
            ("https://site.example/old", [.secFetchMode: "navigate"], "redirect"),
            ("https://site.example/style.css", [.secFetchMode: "no-cors"], nil),
            ("https://site.example/", [.secFetchMode: "navigate", .fetchDestination: "iframe"], nil),
        ] as [(String, HTTPFields, String?)])
    func pagesAreToldOf(url: String, fields: HTTPFields, kind: String?) throws {
        let told = Told()
        var options = ReplayService.Options()
        options.onNavigation = {
            told.append($0.isMissing ? "missing" : $0.isRedirect ? "redirect" : $0.isMainPage ? "main" : "page")
        }
        let service = try ExplorerClient(ReplaySample(), options: options).service
        let request = ReplayRequest(url, headerFields: fields)
        _ = service.respond(to: request, by: service.route(request, isDirect: false, place: .sites))
        #expect(told.all == [kind].compactMap(\.self))
    }

    private final class Told: Sendable {
        private let kinds = Mutex<[String]>([])
        var all: [String] { kinds.withLock { $0 } }
        func append(_ kind: String) { kinds.withLock { $0.append(kind) } }
    }
}
