// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCrawling

@Suite struct RobotsRulesTests {
    private static func allows(_ file: String, _ path: String, agent: String = "ExampleBot") throws -> Bool {
        RobotsRules(parsing: Array(file.utf8), agent: agent).allows(try CanonicalURL("https://a.example" + path))
    }

    /// The examples of RFC 9309, sections 2.2.1, 2.2.2, 5.1 and 5.2.
    @Test func examplesOfTheStandard() throws {
        let simple = """
            User-Agent: *
            Disallow: *.gif$
            Disallow: /example/
            Allow: /publications/

            User-Agent: foobot
            Disallow:/
            Allow:/example/page.html
            Allow:/example/allowed.gif

            User-Agent: barbot
            User-Agent: bazbot
            Disallow: /example/page.html

            User-Agent: quxbot

            """
        for (agent, path, expected) in [
            ("other", "/x.gif", false), ("other", "/x.gif?", true), ("other", "/example/a", false),
            ("other", "/publications/", true), ("FooBot", "/example/page.html", true),
            ("foobot", "/example/page.htm", false), ("barbot", "/example/page.html", false),
            ("bazbot", "/example/page.html", false), ("bazbot", "/example/a", true), ("quxbot", "/example/", true),
        ] {
            #expect(try Self.allows(simple, path, agent: agent) == expected, "\(agent) \(path)")
        }
        let longest = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif"
        #expect(try !Self.allows(longest, "/example/page/disallowed.gif", agent: "foobot"))
        #expect(try Self.allows(longest, "/example/page/", agent: "foobot"))
        let merged = "user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: ExampleBot\ndisallow: /baz"
        for path in ["/foo", "/bar", "/baz"] { #expect(try !Self.allows(merged, path)) }
    }

    @Test(arguments: [
        ("Disallow: /a*c$", "/abc", false), ("Disallow: /a*c$", "/abcd", true),
        ("Disallow: /a*b*c", "/axxbyyczz", false),
        ("Disallow: /*.php", "/x.php?a", false), ("Disallow: /caf%C3%A9", "/café", false),
        ("Disallow: /%7Ejoe", "/~joe/x", false), ("Disallow: /x # all", "/x1", false), ("Disallow:", "/", true),
        ("Allow: /a\nDisallow: /a", "/a", true), ("Disallow: /robots.txt", "/robots.txt", true),
        ("DISALLOW : /x", "/x", false), ("Disallow: /a?b=1", "/a?b=12", false), ("nonsense\nDisallow: /x", "/x", false),
    ]) func matching(_ rules: String, _ path: String, _ expected: Bool) throws {
        #expect(try Self.allows("User-agent: *\n" + rules, path) == expected)
    }

    @Test func responses() throws {
        let url = try CanonicalURL("https://a.example/x")
        let file = Array("User-agent: *\nDisallow: /\nCrawl-delay: 2.5\nSitemap: https://a.example/s.xml\n".utf8)
        for (status, expected) in [(200, false), (404, true), (403, true), (503, false), (301, true)] {
            #expect(RobotsRules(status: status, body: file, agent: "webarc").allows(url) == expected)
        }
        #expect(!RobotsRules(status: nil, body: [], agent: "webarc").allows(url))
        let rules = RobotsRules(parsing: file, agent: "webarc")
        #expect(rules.delay == 2.5 && rules.sitemaps == ["https://a.example/s.xml"])
    }

    /// Rules beyond 500 KiB do not count, and patterns of many stars do not take for ever.
    @Test func limits() throws {
        let filler = String(repeating: "# filler\n", count: RobotsRules.maximumLength / 9 + 1)
        #expect(try Self.allows("User-agent: *\n" + filler + "Disallow: /", "/x"))
        let stars = "User-agent: *\nDisallow: /" + String(repeating: "*a", count: 1_000) + "$\n"
        #expect(try Self.allows(stars, "/" + String(repeating: "a", count: 3_000) + "b"))
    }
}

@Suite struct SitemapTests {
    /// The documents are those that Python's own library writes.
    @Test func documents() throws {
        let script = """
            import sys, xml.etree.ElementTree as tree
            kind, item = sys.argv[1:3]
            root = tree.Element(kind, xmlns="http://www.sitemaps.org/schemas/sitemap/0.9")
            for url in sys.argv[3:]:
                tree.SubElement(tree.SubElement(root, item), "loc").text = url
            sys.stdout.buffer.write(tree.tostring(root, "utf-8", xml_declaration=True))
            """
        let urls = ["https://a.example/?a=1&b=2", "https://a.example/ä", "https://a.example/\"'"]
        for (kind, item) in [("urlset", "url"), ("sitemapindex", "sitemap")] {
            let result = try ExternalTool.run(["python3", "-c", script, kind, item] + urls + ["/relative"])
            let sitemap = Sitemap(Array(result.output))
            #expect(sitemap.urls == urls && sitemap.isIndex == (kind == "sitemapindex"))
        }
        let text = Sitemap(Array("\u{FEFF}https://a.example/1\r\nnothing\nhttps://a.example/2 \n".utf8))
        #expect(text.urls == ["https://a.example/1", "https://a.example/2"] && !text.isIndex)
        #expect(Sitemap(Array("<urlset><loc><![CDATA[https://a.example/?a&b]]></loc>".utf8)).urls.count == 1)
    }

    @Test func hostileDocuments() {
        var random = SeededGenerator.printed()
        let start = Array("<urlset>".utf8)
        #expect(Sitemap(start + Array(String(repeating: "<loc><![CDATA[", count: 5_000).utf8)).urls.isEmpty)
        #expect(Sitemap(Array(String(repeating: "http://a/\n", count: 50_010).utf8)).urls.count == 50_000)
        for _ in 0..<50 { _ = Sitemap(start + random.bytes(2_000)) }
    }
}
