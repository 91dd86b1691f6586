// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCrawling

@Suite struct ProofReportTests {
    private func page(_ url: String, _ requests: [ClassifiedRequest]) -> PageProof {
        var page = PageProof(url: url)
        page.requests = requests
        return page
    }

    private func request(_ url: String, _ requestClass: RequestClass, method: String = "GET") -> ClassifiedRequest {
        ClassifiedRequest(identity: RequestIdentity(method: method, url: url), requestClass: requestClass)
    }

    private var report: ProofReport {
        var miss = request("https://a.example/<script>&.js", .missed)
        miss.reason = "not in the archive"
        miss.near = ["https://a.example/b.js"]
        return ProofReport(
            archive: "site.webarc", isolation: .namespace,
            pages: [
                page("https://a.example/1", [request("https://a.example/1", .exact), miss]),
                page("https://a.example/2", [request("https://a.example/2", .exact), miss]),
                page("https://a.example/3", [request("https://a.example/api", .missed, method: "POST")]),
            ])
    }

    /// The JSON has each miss once, by its method and its URL, with the pages that sent it.
    @Test func missesHaveTheirPages() throws {
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(report.json.line.utf8)) as? [String: Any])
        #expect(object["complete"] as? Bool == false)
        let misses = try #require(object["misses"] as? [[String: Any]])
        #expect(misses.map { $0["method"] as? String } == ["GET", "POST"])
        #expect(misses.map { $0["url"] as? String } == ["https://a.example/%3Cscript%3E&.js", "https://a.example/api"])
        #expect(misses[0]["pages"] as? [String] == ["https://a.example/1", "https://a.example/2"])
        let page = try #require(
            try JSONSerialization.jsonObject(with: Data(report.pages[2].json.line.utf8)) as? [String: Any])
        #expect((page["missed"] as? [[String: Any]])?.first?["url"] as? String == "https://a.example/api")
    }

    @Test func aTerminalGetsEachMissWithItsPage() {
        let lines = report.lines
        #expect(lines.contains { $0.hasPrefix("missed") && $0.hasSuffix("POST https://a.example/api") })
        #expect(lines.contains { $0.contains("https://a.example/1") && $0.contains("1 more page") })
        #expect(lines.contains { $0.contains("near: https://a.example/b.js") })
        #expect(lines.contains { $0.hasPrefix("3 pages") })
        var differing = report
        differing.pages[0].text = .different
        #expect(differing.lines.contains("differs https://a.example/1"))
        #expect(!differing.lines.contains { $0.contains("\n") })
    }

    /// Nothing of an archive becomes markup, and nothing is loaded.
    @Test func thePageIsInert() {
        var hostile = request("https://a.example/\"><script>alert(1)</script>", .missed)
        hostile.reason = "<img src=x onerror=alert(1)>"
        hostile.near = ["</table><iframe src=//evil.example>"]
        var proof = page("https://a.example/<b>\u{202E}", [hostile])
        proof.title = "<style>*{}</style>"
        proof.failure = "<object>"
        let html = ProofPage(ProofReport(archive: "<svg>.webarc", isolation: .proxy, pages: [proof])).document
        for tag in ["<script", "<img", "<iframe", "<b>", "<object", "<svg", "src=x", "\u{202E}"] {
            #expect(!html.contains(tag) || tag == "src=x" && html.contains("&lt;img src=x"), "\(tag)")
        }
        #expect(html.components(separatedBy: "<style>").count == 2)
        #expect(html.contains("default-src 'none'"))
    }

    @Test func aCompleteProofSaysSo() {
        let complete = ProofReport(
            archive: "site.webarc", isolation: .namespace,
            pages: [page("https://a.example/", [request("https://a.example/", .exact)])])
        #expect(complete.isComplete)
        #expect(ProofPage(complete).document.contains("Complete"))
        #expect(!report.isComplete)
        var silent = complete
        silent.pages[0].requests.append(request("wss://a.example/", .notReplayed))
        #expect(silent.isComplete && silent.lines.contains("not replayed GET wss://a.example/"))
        #expect(ProofPage(silent).document.contains("1 WebSocket is in the archive"))
        var failed = complete
        failed.pages[0].failure = "the page crashed"
        #expect(!failed.isComplete)
    }
}
