// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive
import WebArchivePresentation
import WebArchiveReplay

@testable import WebArchiveServer

@Suite struct PageTitleTests {
    @Test(
        arguments: [
            ("<!doctype html><title>Home</title>", "Home"),
            ("<HTML><HEAD><TITLE lang=de>\n  Ein\n\tTitel </TITLE>", "Ein Titel"),
            ("<!-- <title>no</title> --><script>'<title>no</title>'</script><title>yes</title>", "yes"),
            (
                "<meta content='<title>no</title>'><title>a &amp; b &#8211; c &#x2014;&nbsp;&bogus; &</title>",
                "a & b – c — &bogus; &"
            ),
            ("<!--><title>behind an empty comment</title>", "behind an empty comment"),
            ("<!---><title>behind another</title>", "behind another"),
            ("<!-- a --!><title>behind an exclamation mark</title> -->", "behind an exclamation mark"),
            ("<!--!><title>no</title> > --- !> --!-><title>no</title>--!--><title>yes</title>", "yes"),
            ("<!---!><title>no</title>--><title>yes</title>", "yes"),
            ("<!----!><title>yes</title>", "yes"),
            (
                "<title>&\u{301}amp; &amp;\u{301} &toolongtobename; &#x1F600;</title>",
                "&\u{301}amp; &\u{301} &toolongtobename; 😀"
            ),
            ("<title>not <b>bold</b></title>", "not <b>bold</b>"), ("<title>no end", "no end"),
            ("<title></title>", nil), ("<title> \n </title>", nil), ("<p>None", nil), ("", nil), ("<", nil),
            ("<title", nil),
            ("<body><svg><title>A picture</title></svg>", nil), ("<!--<title>never</title>", nil),
            ("<titles>no</titles><title>yes</title>", "yes"),
        ] as [(String, String?)])
    func titleOfADocument(document: String, title: String?) {
        #expect(PageTitle.title(in: Array(document.utf8), charset: { nil }) == title)
    }

    @Test(
        arguments: [
            ("utf-8", nil, "Käse – 日本", String.Encoding.utf8), ("iso-8859-1", nil, "Käse", .isoLatin1),
            ("Shift_JIS", nil, "日本語の本", .shiftJIS),
            (nil, nil, "Käse“", .windowsCP1252), (nil, "windows-1251", "Пример", .windowsCP1251),
        ] as [(String?, String?, String, String.Encoding)])
    func titleInItsEncoding(charset: String?, declared: String?, title: String, encoding: String.Encoding) throws {
        let meta = declared.map { "<meta http-equiv=content-type content=\"text/html; charset=\($0)\">" } ?? ""
        let bytes = try #require("<html>\(meta)<title>\(title)</title>".data(using: encoding))
        #expect(PageTitle.title(in: Array(bytes), charset: { charset }) == title)
    }

    /// Python's parser and this one find the same tags in documents that are cut, doubled and broken at random places.
    @Test(.enabled(if: Python.isThere)) func tagsAreThoseOfAnotherParser() throws {
        let document = """
            <!doctype html><html lang=en><head><title>A &lt; b</title><meta charset="utf-8"><link rel='stylesheet' href=a.css>\
            <style>p>a{content:"<b>"}</style><script>if (a < b) c("</p>")</script></head><body class="a b" data-x>\
            <!-- <i> --><p id=1>Text<br/><img src="a.png" alt='"'></p><TEXTAREA><u></TEXTAREA></body></html>
            """
        var random = SeededGenerator(seed: 14)
        let whole = Array(document)
        let documents =
            [document]
            + (0..<50).map { _ in
                // Cut where text is, for parsers differ in what a broken tag is.
                let places = whole.indices.filter { $0 > 0 && whole[$0 - 1] == ">" }
                let (first, second) = (places.randomElement(using: &random)!, places.randomElement(using: &random)!)
                return String(whole[..<first] + whole[second...])
            }
        let script = """
            import sys, json, html.parser
            class P(html.parser.HTMLParser):
                CDATA_CONTENT_ELEMENTS = ("script", "style", "textarea", "title")
                def handle_starttag(self, tag, attrs): self.found.append([tag, [n for n, _ in attrs]])
                def handle_endtag(self, tag): self.found.append(["/" + tag, []])
                def handle_startendtag(self, tag, attrs): self.handle_starttag(tag, attrs)
            for line in sys.stdin:
                p = P(); p.found = []; p.feed(json.loads(line)); p.close()
                print(json.dumps(p.found, separators=(",", ":")))
            """
        let answers = try Python.answers(script, to: documents.map { JSONValue.string($0).line })
        for (document, answer) in zip(documents, answers) {
            var scanner = HTMLTagScanner(Array(document.utf8))
            var found: [[Any]] = []
            while let tag = scanner.next() {
                found.append([(tag.isEnd ? "/" : "") + tag.name, tag.attributes.map(\.name)])
            }
            let ours = String(
                decoding: try JSONSerialization.data(withJSONObject: found, options: .withoutEscapingSlashes),
                as: UTF8.self)
            #expect(ours == answer, "\(document)")
        }
    }
}

@Suite struct TitleSearchTests {
    private static func add(_ title: String, at path: String, _ writer: ArchiveWriter) throws {
        let page = "<!doctype html><title>\(title)</title><p>" + String(repeating: path, count: 40)
        try ReplaySample.add("https://site.example/\(path)", "text/html; charset=utf-8", Array(page.utf8), writer)
    }

    private func client(_ count: Int = 3) throws -> ExplorerClient {
        try ExplorerClient(
            ReplaySample { writer in
                try Self.add("Gr\u{FC}\u{DF}e &amp; K\u{FC}sse", at: "p/1", writer)
                try Self.add("The Hash Map, explained", at: "p/2", writer)
                for number in 3...max(3, count) { try Self.add("Page \(number)", at: "p/\(number)", writer) }
            })
    }

    @Test(arguments: [
        ("q=hash+map", ["p/2"]), ("q=EXPLAINED", ["p/2"]), ("q=gr%C3%BC%C3%9Fe", ["p/1"]), ("q=%26", ["p/1"]),
        // One word in the title, and one in the URL.
        ("q=explained+site.example/p", ["p/2"]), ("q=explained+nowhere", []), ("q=hash&type=text/css", []),
        ("q=home", ["", "index.html"]),
    ])
    func titlesAreSearchedAndShown(query: String, paths: [String]) throws {
        let client = try client()
        for _ in 0..<2 {
            let entries = try #require(try client.json("/-/api/entries?\(query)")["entries"] as? [[String: Any]])
            #expect(entries.map { $0["url"] as? String } == paths.map { "https://site.example/\($0)" })
        }
    }

    @Test func listShowsTheTitle() throws {
        let html = try client().html("/-/entries?q=hash")
        #expect(html.contains(">The Hash Map, explained</a><br>https://site.example/p/2<br>"))
    }

    /// A request reads a limited number of titles, says so, and the next one reads on.
    @Test func whatWasNotReadIsTold() throws {
        let client = try client(3000)
        let responder = try #require(client.service.library).responder
        let cache = TitleCache()
        var left: [Int] = []
        repeat {
            let reader = TitleReader(cache, responder, limits: .init(decoded: 300_000))
            let page = try EntrySearch(QueryFields("q=nowhere")).run(responder.site, titles: reader)
            left.append(page.unreadTitles)
            let html = EntryListPage(search: EntrySearch(), found: page, count: 1).page.html
            #expect(html.contains(">Read more titles<") == (page.unreadTitles > 0))
        } while left.last != 0 && left.count < 100
        #expect(
            left.count > 1 && left.last == 0 && left == left.sorted(by: >) && Set(left).count == left.count, "\(left)")
    }

    /// Words that nearly match everywhere in long titles: a request searches some of them, and the next one continues.
    @Test func comparingCountsInLongTitles() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("site.webarc")
        let writer = try ArchiveWriter(creating: path)
        let page = "<title>" + String(repeating: "\u{1D51E}", count: 299) + "b</title>"
        for number in 0..<400 {
            try ReplaySample.add("https://site.example/\(number)", "text/html", Array(page.utf8), writer)
        }
        try writer.commit()
        let responder = ReplayResponder(try ReplaySite([ArchiveReader(path: path)]))
        let cache = TitleCache()
        func run(_ words: Int) throws -> EntrySearch.Page {
            let word = String(repeating: "%F0%9D%94%9E", count: 29) + "c"
            let text = Array(repeating: word, count: words).joined(separator: "+")
            return try EntrySearch(QueryFields("q=\(text)"))
                .run(responder.site, titles: TitleReader(cache, responder), budget: 8 << 20)
        }
        let one = try run(1)
        #expect(!one.isCut && one.looked == 400)
        let many = try run(5)
        #expect(many.isCut && many.next != nil && (1..<200).contains(many.looked))
    }

    /// Pages that begin alike in the file, each of the length that is looked at, and none with a title: what is decoded and scanned for them
    /// is limited, not only their number.
    @Test(arguments: [
        (TitleReader.Limits(decoded: 64 * 4096), 16),
        (TitleReader.Limits(scanned: 16 * PageTitle.maximumScannedLength), 16),
        (TitleReader.Limits(titles: 16), 16), (TitleReader.Limits(), 40),
    ])
    func longBeginningsAreLimited(limits: TitleReader.Limits, readCount: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("site.webarc")
        let writer = try ArchiveWriter(creating: path, options: .init(blockExponent: 12))
        for number in 0..<40 {
            let page = "<b>\(number)" + String(repeating: "<a>", count: 8 << 10)
            try ReplaySample.add("https://site.example/\(number)", "text/html", Array(page.utf8), writer)
        }
        try writer.commit()
        let responder = ReplayResponder(try ReplaySite([ArchiveReader(path: path)]))
        let cache = TitleCache()
        let page = try EntrySearch(QueryFields("q=nowhere"))
            .run(responder.site, titles: TitleReader(cache, responder, limits: limits))
        #expect(page.unreadTitles == 40 - readCount && page.looked == 40)
    }

    /// A scanner creates no text that is not read: of a tag, only sixty-four attributes count.
    @Test func attributesBeyondThoseThatCountAreNone() throws {
        let names = (0..<70).map { "a\($0)" }
        var scanner = HTMLTagScanner(Array("<b \(names.joined(separator: " ")) href=x><i B=1 b=2>".utf8))
        let (tag, next) = (scanner.next(), scanner.next())
        let first = try #require(tag)
        #expect(first.attributes.map(\.name) == Array(names.prefix(64)) && first.value("href") == nil)
        #expect(first.isOf("b") && !first.isOf("bb") && first.value("a63") != nil && first.value("a64") == nil)
        let second = try #require(next)
        #expect(second.value("b").map(\.count) == 1 && second.attributes.map(\.name) == ["b", "b"])
        let end = scanner.next()
        #expect(end == nil)
    }

    /// Sites have their titles for themselves, and the one that has most of the memory loses them to others.
    @Test func sitesDoNotTakeEachOthersTitles() throws {
        let sample = try ReplaySample()
        let responders = try (0..<3).map { _ in ReplayResponder(try ReplaySite([ArchiveReader(path: sample.path)])) }
        let cache = TitleCache(capacity: 1000)
        func keep(_ site: Int, _ bodies: Range<Int>) {
            for body in bodies { cache.keep("t\(body)", .init(layer: 0, body: body), responders[site]) }
        }
        func count(_ site: Int) -> Int {
            (0..<100).filter { cache.title(.init(layer: 0, body: $0), responders[site]) == "t\($0)" }.count
        }
        for _ in 0..<3 {
            keep(0, 0..<3)
            keep(1, 0..<4)
        }
        #expect(count(0) == 3 && count(1) == 4)
        keep(2, 0..<100)
        #expect(count(0) == 3, "the site with few titles keeps them")
        #expect(count(2) > 4 && count(2) < 11 && count(1) == 0)
    }

    /// Titles that the cache does not keep are read again.
    @Test func cacheIsBounded() throws {
        let client = try client(50)
        let responder = try #require(client.service.library).responder
        let cache = TitleCache(capacity: 300)
        for _ in 0..<2 {
            let page = try EntrySearch(QueryFields("q=page")).run(responder.site, titles: TitleReader(cache, responder))
            #expect(page.rows.count == 48 && page.unreadTitles == 0)
        }
    }
}
