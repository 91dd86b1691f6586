// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WebArchiveWebKit

@Suite struct ArchiveSchemeTests {
    @Test(arguments: [
        ("https://site.example/", "webarc-https://site.example/"),
        ("HTTP://site.example:81/a%20b?c=%2F#d", "webarc-HTTP://site.example:81/a%20b?c=%2F#d"),
    ])
    func urlsOfHTTPLeadThereAndBack(original: String, shown: String) throws {
        let url = try #require(URL(string: original))
        let view = try #require(ArchiveScheme.viewURL(of: url))
        #expect(view.absoluteString == shown)
        #expect(ArchiveScheme.originalURL(of: view)?.absoluteString == original)
    }

    @Test(arguments: ["file:///etc/passwd", "webarc-https://a/", "webarc:x", "mailto:a@b", "relative"])
    func otherURLsAreNotShown(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(ArchiveScheme.viewURL(of: url) == nil)
    }

    @Test(arguments: ["https://a/", "webarc-ftp://a/", "webarc-file:///etc/passwd", "webarc://a/"])
    func otherURLsHaveNoOriginal(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(ArchiveScheme.originalURL(of: url) == nil)
    }

    @Test func relativeLinksStayInTheScheme() throws {
        let original = try #require(URL(string: "https://site.example/docs/a.html"))
        let page = try #require(ArchiveScheme.viewURL(of: original))
        let link = try #require(URL(string: "../style.css", relativeTo: page))
        #expect(ArchiveScheme.originalURL(of: link.absoluteURL)?.absoluteString == "https://site.example/style.css")
    }
}
