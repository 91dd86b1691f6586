// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive
@testable import WebArchiveReplay
@testable import WebArchiveServer

@Suite struct RedirectChainTests {
    private func site(_ redirects: [(String, String)]) throws -> ReplaySite {
        let sample = try ReplaySample(withSite: false) { writer in
            try ReplaySample.add("https://a.example/end", "text/html", [1], writer)
            for (name, target) in redirects {
                // As it stands, be it a URL or not.
                let url = "https://a.example/\(name)"
                _ = try writer.builder.addCopy(
                    ArchiveRequest(url: url), of: CanonicalURL(url), requestBody: nil,
                    response: ArchiveResponse(status: 302, redirectTarget: target), body: nil, time: nil,
                    role: .exchange)
            }
        }
        return try ReplaySite([ArchiveReader(path: sample.path)])
    }

    private func chain(_ site: ReplaySite, _ name: String = "0") throws -> RedirectChain? {
        let entry = try #require(try site.layers[0].entry(for: "https://a.example/\(name)"))
        return try RedirectChain(from: entry, in: site)
    }

    @Test func endsOfAllKinds() throws {
        let base = "https://a.example/"
        let cases: [([(String, String)], [String], RedirectChain.End)] = [
            ([("0", base + "1"), ("1", base + "end#part")], ["1", "end"], .responded),
            ([("0", base + "none")], ["none"], .missing),
            ([("0", base + "0")], ["0"], .loop),
            ([("0", base + "1"), ("1", base + "2"), ("2", base + "1")], ["1", "2", "1"], .loop),
        ]
        for (redirects, urls, end) in cases {
            let chain = try #require(try chain(site(redirects)))
            #expect(chain.hops.map(\.url) == urls.map { base + $0 } && chain.end == end)
        }
        let invalid = try #require(try chain(site([("0", "no url")])))
        #expect(invalid.end == .invalid && invalid.hops.count == 1)
        #expect(try chain(site([]), "end") == nil)
    }

    @Test func longOnesAreFollowedForTwentySteps() throws {
        let chain = try #require(
            try chain(site((0..<40).map { ("\($0)", "https://a.example/\($0 + 1)") })))
        #expect(chain.hops.count == 20 && chain.end == .tooLong)
    }
}
