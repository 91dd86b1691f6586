// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

@Suite struct RedirectFindingTests {
    private func findings(_ redirects: [(String, String)], pages: [String] = []) throws -> [VerificationFinding] {
        let surgeon = try SampleArchive.surgeon { writer in
            for page in pages { try SampleArchive.page("https://a.example" + page, writer.addBody([1]), writer) }
            for (from, to) in redirects {
                let target = to.hasPrefix("/") ? "https://a.example" + to : to
                try SampleArchive.redirect("https://a.example" + from, to: target, writer)
            }
        }
        let findings = try surgeon.findings(.quick)
        #expect(try surgeon.findings(.quick, threads: 4) == findings)
        #expect(findings.allSatisfy { $0.severity == .warning })
        return findings
    }

    @Test func whatLeadsSomewhere() throws {
        #expect(try findings([("/1", "/2"), ("/2", "/3"), ("/4", "https://other.example/")], pages: ["/3"]) == [])
        #expect(try findings([("/m", "mailto:a@a.example")]) == [])
    }

    @Test func missingTarget() throws {
        let found = try findings([("/1", "/2"), ("/2", "/missing?q"), ("/5", "http://a.example/x")], pages: ["/3"])
        #expect(found.map(\.code) == [.redirectTargetMissing, .redirectTargetMissing])
        #expect(found.map(\.url) == ["https://a.example/2", "https://a.example/5"])
    }

    @Test func circles() throws {
        let found = try findings([("/in", "/c"), ("/c", "/b"), ("/b", "/d"), ("/d", "/c"), ("/self", "/self")])
        #expect(found.map(\.code) == [.redirectLoop, .redirectLoop])
        #expect(found.map(\.url) == ["https://a.example/b", "https://a.example/self"])
        for url in ["b", "d", "c"] { #expect(found[0].message.contains("https://a.example/\(url)")) }
    }

    @Test func longChains() throws {
        let chain = (100..<120).map { ("/\($0)", "/\($0 + 1)") }
        #expect(try findings(chain, pages: ["/120"]) == [])
        let found = try findings(chain + [("/120", "/121")], pages: ["/121"])
        #expect(found.map(\.code) == [.tooManyRedirects])
        #expect(found.first?.url == "https://a.example/100")
    }

    /// A newer capture of a URL counts, whichever commit it is in.
    @Test func olderCaptures() throws {
        let bytes = try SampleArchive.bytes(
            { writer in
                try SampleArchive.redirect("https://a.example/1", to: "https://a.example/missing", writer)
                try SampleArchive.redirect("https://a.example/2", to: "https://a.example/2", writer)
            },
            more: [
                { writer in
                    try SampleArchive.page("https://a.example/1", writer.addBody([1]), writer, time: 7)
                    try SampleArchive.page("https://a.example/2", writer.addBody([1]), writer, time: 7)
                }
            ])
        #expect(try ArchiveSurgeon(bytes).findings() == [])
    }

    /// Each step searches every commit, so that steps are limited where there are many.
    @Test func chainsThroughManyCommits() throws {
        func redirect(_ from: String, _ to: String, _ writer: ArchiveWriter) throws {
            try SampleArchive.redirect("https://a.example/\(from)", to: "https://a.example/\(to)", writer)
        }
        let bytes = try SampleArchive.bytes(
            { writer in for number in 0..<20 { try redirect("\(number)", "\(number + 1)", writer) } },
            more: (0..<100).map { commit in
                { writer in for number in 0..<40 { try redirect("\(commit)/\(number)", "0", writer) } }
            })
        let findings = try ArchiveSurgeon(bytes).findings(.quick)
        #expect(findings.count { $0.code == .redirectsNotFollowed } == 1)
        #expect(findings.allSatisfy { $0.severity == .warning })
    }

    /// Captures without end of one URL take no longer than others.
    @Test func manyCaptures() throws {
        let surgeon = try SampleArchive.surgeon { writer in
            for _ in 0..<20_000 { try SampleArchive.redirect("https://a.example/1", to: "https://a.example/2", writer) }
        }
        #expect(try surgeon.findings(.quick).map(\.url) == ["https://a.example/1"])
    }
}
