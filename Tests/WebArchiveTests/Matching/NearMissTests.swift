// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// The URLs that a person may have meant.
@Suite struct NearMissTests {
    private static let stored = [
        "http://a/Docs/Intro.html", "http://a/about.htm", "http://a/team/", "http://a/guide/index.htm", "http://a/file",
        "http://a/x/logo.png", "http://b/about",
    ]

    private func nearest(_ url: String, _ hints: DecodingBudget = .forHint()) throws -> String? {
        let archive = try ArchiveReader(
            bytes: SampleArchive.bytes { writer in
                for url in Self.stored { try SampleArchive.page(url, writer.addBody([1]), writer) }
                for number in 0..<3000 { try SampleArchive.page("http://a/many/\(number)", nil, writer) }
            })
        let request = MatchRequest(url: try CanonicalURL(url))
        let matcher = ArchiveMatcher(archive, options: .exactOnly)
        return try matcher.explainEntries(request, within: .forRequest(), hints: hints).nearMisses.first?.url
    }

    @Test(arguments: [
        ("http://a/about.html", "http://a/about.htm"), ("http://a/about/", "http://a/about.htm"),
        ("http://a/about", "http://a/about.htm"), ("http://a/about.htm/", "http://a/about.htm"),
        ("http://a/team", "http://a/team/"), ("http://a/team.html", "http://a/team/"),
        ("http://a/team/index.html", "http://a/team/"), ("http://a/guide.html", "http://a/guide/index.htm"),
        ("http://a/file.html", "http://a/file"), ("http://a/docs/intro.html", "http://a/Docs/Intro.html"),
        ("http://a/DOCS/INTRO", "http://a/Docs/Intro.html"),
        ("http://a/docs/intro.htm?x=1", "http://a/Docs/Intro.html"),
        ("https://a/docs/intro.html", "http://a/Docs/Intro.html"), ("http://a/y/LOGO.png", "http://a/x/logo.png"),
    ])
    func otherSpellingsComeFirst(_ url: String, _ near: String) throws {
        #expect(try nearest(url, DecodingBudget(for: "a test", bytes: 64 << 20)) == near)
    }

    /// A server must not go through a whole archive for each URL that is in no archive.
    @Test func aSmallBudgetEndsTheSearchAndLeavesTheOtherHints() throws {
        #expect(try nearest("http://a/ABOUT", .forQuickRequest()) == "http://a/about.htm")
        #expect(try nearest("http://a/none", .forQuickRequest()) != nil)
    }
}
