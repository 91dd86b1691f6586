// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOHTTP1
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay

@Suite struct ReplayResponderTests {
    @Test func answersAtTheOwnOrigin() throws {
        let sample = try ReplaySample()
        let responder = try sample.responder()
        // Twice: the second time from memory.
        for _ in 0..<2 {
            let response = responder.get("https://site.example/style.css")
            #expect(response.status == 200)
            #expect(response.field(.contentType) == "text/css")
            #expect(response.field(.contentLength) == String(ReplaySample.style.count))
            #expect(response.field(.eTag) == "\"\(ContentDigest(hashing: ReplaySample.style))\"")
            #expect(response.field(.acceptRanges) == "bytes")
            #expect(try response.content() == ReplaySample.style)
        }
    }

    /// A browser would show nothing of a body that is not in the coding that its recorded fields name. What may be right is left as it stands.
    @Test(
        arguments: [
            (200, "gzip", Array("<p>text".utf8), nil), (200, "br, X-GZIP", [0x1F], nil),
            (404, "zstd", Array("<p>".utf8), nil),
            (200, "gzip", [0x1F, 0x8B, 0x08, 0x00, 0x01], "gzip"),
            (200, "zstd", [0x28, 0xB5, 0x2F, 0xFD, 0x00], "zstd"),
            (200, "zstd", [0x5A, 0x2A, 0x4D, 0x18, 0x00], "zstd"), (200, "br", Array("<p>text".utf8), "br"),
            (206, "gzip", Array("<p>text".utf8), "gzip"), (200, "gzip", [], "gzip"),
        ] as [(Int, String, [UInt8], String?)])
    func aFalseContentCodingIsLeftOut(status: Int, coding: String, body: [UInt8], sent: String?) throws {
        let url = "https://site.example/coded"
        let sample = try ReplaySample { writer in
            let fields: HeaderFields = ["Content-Type": "text/html", "Content-Encoding": coding, "Content-MD5": "x"]
            try writer.add(
                ArchiveRequest(url: url), response: ArchiveResponse(status: status, headers: fields),
                body: writer.addBody(body))
        }
        let response = try sample.responder().get(url)
        #expect(response.status == status && response.field(.contentEncoding) == sent)
        #expect((response.field(.contentMD5) == nil) == (sent == nil))
        #expect(try response.content() == body)
    }

    @Test func mainPageAtTheRoot() throws {
        let sample = try ReplaySample()
        let responder = try sample.responder()
        #expect(try responder.getPath("/").content() == ReplaySample.page)
        #expect(try responder.getPath("/a/%2e%2e/style.css").content() == ReplaySample.style)
        #expect(responder.getPath("/font.woff2").status == 404)
        #expect(try responder.get("https://cdn.example/font.woff2").content() == [1, 2, 3])
    }

    @Test func rootLeadsToAMainPageThatLiesElsewhere() throws {
        let sample = try ReplaySample(withSite: false) { writer in
            try ReplaySample.add("https://site.example/en/start?x=1", "text/html", ReplaySample.page, writer)
            try writer.setMetadata("mainPage", to: "https://site.example/en/start?x=1")
        }
        let response = try sample.responder().getPath("/")
        #expect(response.status == 302)
        #expect(response.field(.location) == "/en/start?x=1")
    }

    /// Pages come before style sheets, and those near the root first; no link leads back to where the visitor is.
    @Test func aMainPageThatIsMissing() throws {
        let sample = try ReplaySample(withSite: false) { writer in
            for (path, type) in [
                ("a.css", "text/css"), ("deep/down/page.html", "text/html"), ("start.html", "text/html"),
                ("a/index.html", "text/html"), ("b.js", "text/javascript"),
            ] {
                try ReplaySample.add("https://site.example/\(path)", type, [1], writer)
            }
            try writer.setMetadata("mainPage", to: "https://site.example/none.html")
        }
        let responder = try sample.responder()
        #expect(responder.getPath("/").field(.location) == "/none.html")
        let page = responder.getPath("/none.html")
        #expect(page.status == 404)
        let links = try page.text.matches(of: #/href="([^"]*)"/#).map { String($0.1) }
        #expect(links == ["/start.html", "/a/index.html", "/deep/down/page.html", "/b.js", "/a.css"])
    }

    @Test func theBestPageIsTheMainPageWhereNoneIsNamed() throws {
        let sample = try ReplaySample(withSite: false) { writer in
            try ReplaySample.add("https://site.example/a.css", "text/css", [1], writer)
            try ReplaySample.add("https://site.example/x/page.html", "text/html", [1], writer)
        }
        #expect(try sample.responder().site.mainPage.description == "https://site.example/x/page.html")
    }

    @Test func headHasTheFieldsWithoutTheContent() throws {
        let sample = try ReplaySample()
        let responder = try sample.responder()
        let (get, head) = (
            responder.get("https://site.example/"), responder.get("https://site.example/", method: .head)
        )
        #expect(head.head == get.head)
        #expect(head.parts.isEmpty)
    }

    @Test func redirectsKeepTheirPathInTheirOriginOnly() throws {
        let sample = try ReplaySample()
        let responder = try sample.responder()
        #expect(responder.getPath("/old").status == 301)
        #expect(responder.getPath("/old").field(.location) == "/index.html#top")
        #expect(responder.getPath("/away").field(.location) == "https://other.example/")
        #expect(responder.get("https://site.example/old").field(.location) == "https://site.example/index.html#top")
    }

    /// A path of the archive is no name of another host.
    @Test func pathsWithTwoSlashes() throws {
        let sample = try ReplaySample(withSite: false) { writer in
            let page = "https://site.example//evil.example/"
            try ReplaySample.add(page, "text/html", ReplaySample.page, writer)
            try writer.add(
                ArchiveRequest(url: "https://site.example/go"),
                response: ArchiveResponse(status: 302, headers: ["Location": page], redirectTarget: page))
            try writer.setMetadata("mainPage", to: page)
        }
        let responder = try sample.responder()
        for path in ["/", "/go"] { #expect(responder.getPath(path).field(.location) == "/.//evil.example/") }
        #expect(try responder.getPath("/.//evil.example/").content() == ReplaySample.page)
        #expect(try !responder.getPath("/none").text.contains("\"//"))
    }

    /// As from a server of files; but a query that is stored has its own response.
    @Test func aQueryThatIsNotStored() throws {
        let sample = try ReplaySample { writer in
            try ReplaySample.add("https://site.example/style.css?v=2", "text/css", Array("two".utf8), writer)
        }
        let responder = try sample.responder()
        #expect(try responder.get("https://site.example/style.css?v=2").text == "two")
        #expect(try responder.get("https://site.example/style.css?v=3").content() == ReplaySample.style)
        #expect(responder.get("https://site.example/style.css?v=3", method: .head).status == 200)
        #expect(responder.get("https://site.example/style.css?v=3", method: .post, body: [1]).status != 200)
        #expect(responder.get("https://site.example/none?v=3").status == 504)
    }

    /// A patch with the page alone does not hide what the base has for the query; nor does a base what the patch has.
    @Test func aQueryInAnotherLayer() throws {
        let patch = try ReplaySample(withSite: false) { writer in
            try ReplaySample.add("https://site.example/style.css", "text/css", Array("patched".utf8), writer)
        }
        let base = try ReplaySample { writer in
            try ReplaySample.add("https://site.example/style.css?v=2", "text/css", Array("two".utf8), writer)
        }
        let site = try ReplaySite([ArchiveReader(path: patch.path), ArchiveReader(path: base.path)])
        let responder = ReplayResponder(site)
        #expect(try responder.get("https://site.example/style.css?v=2").text == "two")
        #expect(try responder.get("https://site.example/style.css?v=3").text == "patched")
        let strict = ReplayResponder(try ReplaySite(site.layers, options: ArchiveMatcher.Options()))
        #expect(try strict.get("https://site.example/style.css?v=2").text == "two")
        #expect(strict.get("https://site.example/style.css?v=3").isMissing)
    }

    /// Links in an index page are relative to its directory.
    @Test func directoriesHaveASlash() throws {
        let sample = try ReplaySample { writer in
            for name in ["docs/", "guide/index.html"] {
                try ReplaySample.add("https://site.example/\(name)", "text/html", Array(name.utf8), writer)
            }
        }
        let responder = try sample.responder()
        for (path, location) in [("docs", "/docs/"), ("guide", "/guide/")] {
            // The scheme is another rule of matching.
            for scheme in ["https", "http"] {
                let response = responder.get("\(scheme)://site.example/\(path)")
                #expect(response.status == 301)
                #expect(response.field(.location) == location)
            }
        }
        #expect(try responder.get("https://site.example/guide/").text == "guide/index.html")
        #expect(try responder.get("https://site.example/docs/index.html").text == "docs/")
    }

    /// The client keeps its own spelling, for which the page's links are relative to the same directory.
    @Test func directoriesOfAnotherSpelling() throws {
        let sample = try ReplaySample { writer in
            try ReplaySample.add("https://site.example/a=b/c/index.html", "text/html", Array("index".utf8), writer)
            try ReplaySample.add("https://site.example/about.html", "text/html", Array("about".utf8), writer)
        }
        let responder = try sample.responder()
        for path in ["/a%3Db/c", "/a%3Db//c"] {
            let response = responder.get("https://site.example" + path)
            #expect(response.status == 301)
            #expect(response.field(.location) == path + "/")
            #expect(try responder.get("https://site.example\(path)/").text == "index")
        }
        #expect(try responder.get("https://site.example/about").text == "about")
        #expect(try responder.get("https://site.example/about.html").text == "about")
    }

    @Test func postIsAnsweredByItsBody() throws {
        let sample = try ReplaySample { writer in
            for name in ["a", "b"] {
                try writer.add(
                    ArchiveRequest(method: "POST", url: "https://site.example/form"),
                    requestBody: writer.addBody(Array("q=\(name)".utf8)), response: ArchiveResponse(),
                    body: writer.addBody(Array("for \(name)".utf8)))
            }
        }
        let responder = try sample.responder()
        let url = "https://site.example/form"
        #expect(try responder.get(url, method: .post, body: Array("q=b".utf8)).text == "for b")
        #expect(try responder.get(url, method: .post, body: Array("q=a".utf8)).text == "for a")
        #expect(responder.get(url, method: .post, body: Array("q=c".utf8)).status == 504)
        let get = responder.get(url)
        #expect(get.status == 405)
        #expect(get.field(.allow) == "POST")
        let put = responder.get("https://site.example/style.css", method: .put, body: [])
        #expect(put.status == 405)
        #expect(put.field(.allow) == "GET, HEAD")
    }

    @Test func varyDecides() throws {
        let sample = try ReplaySample { writer in
            for language in ["de", "en"] {
                try writer.add(
                    ArchiveRequest(url: "https://site.example/hello", headers: ["Accept-Language": language]),
                    response: ArchiveResponse(headers: ["Vary": "Accept-Language"]),
                    body: writer.addBody(Array(language.utf8)))
            }
        }
        let responder = try sample.responder()
        for _ in 0..<2 {
            for language in ["de", "en"] {
                let response = responder.get("https://site.example/hello", [.acceptLanguage: language])
                #expect(try response.text == language)
                #expect(response.field(.vary) == "Accept-Language")
            }
        }
    }

    /// The cache keeps no response that a request with other fields would not get.
    @Test func anOlderCaptureWithoutVaryHidesNone() throws {
        let sample = try ReplaySample { writer in
            let url = "https://site.example/hello"
            try writer.add(
                ArchiveRequest(url: url), response: ArchiveResponse(), body: writer.addBody(Array("any".utf8)),
                time: ArchiveTime(seconds: 1))
            try writer.add(
                ArchiveRequest(url: url, headers: ["Accept-Language": "de"]),
                response: ArchiveResponse(headers: ["Vary": "Accept-Language"]),
                body: writer.addBody(Array("de".utf8)), time: ArchiveTime(seconds: 2))
        }
        let layer = try ReplaySample("base.webarc", withSite: false) { writer in
            try ReplaySample.add("https://site.example/hello", "text/plain", Array("base".utf8), writer)
        }
        for layers in [[sample.path], [sample.path, layer.path]] {
            let responder = ReplayResponder(try ReplaySite(layers.map { path in try ArchiveReader(path: path) }))
            for language in ["en", "de", "en", "de"] {
                let response = responder.get("https://site.example/hello", [.acceptLanguage: language])
                #expect(try response.text == (language == "de" ? "de" : "any"))
            }
        }
    }

    /// A capture that varies in the first layer lets the second one answer only the requests that it does not fit.
    @Test func aLayerBehindOneThatVaries() throws {
        let patch = try ReplaySample("patch.webarc", withSite: false) { writer in
            try writer.add(
                ArchiveRequest(url: "https://site.example/style.css", headers: ["Accept-Language": "de"]),
                response: ArchiveResponse(headers: ["Vary": "Accept-Language"]),
                body: writer.addBody(Array("de".utf8)))
        }
        let base = try ReplaySample()
        var options = ArchiveMatcher.Options.serving
        options.rules.remove(.anyVariant)
        let layers = [try ArchiveReader(path: patch.path), try ArchiveReader(path: base.path)]
        let responder = ReplayResponder(try ReplaySite(layers, options: options))
        for language in ["en", "de", "en", "de"] {
            let response = responder.get("https://site.example/style.css", [.acceptLanguage: language])
            #expect(try response.content() == (language == "de" ? Array("de".utf8) : ReplaySample.style))
        }
    }

    @Test func requestsWithABodyHaveResponsesOfTheirOwn() throws {
        let sample = try ReplaySample { writer in
            let url = "https://site.example/search"
            try ReplaySample.add(url, "text/plain", Array("none".utf8), writer)
            try writer.add(
                ArchiveRequest(url: url), requestBody: writer.addBody(Array("ships".utf8)),
                response: ArchiveResponse(), body: writer.addBody(Array("two".utf8)))
        }
        for order in [["ships", nil, "ships"], [nil, "ships", nil]] {
            let responder = try sample.responder()
            for body in order {
                let response = responder.get("https://site.example/search", body: body.map { Array($0.utf8) })
                #expect(try response.text == (body == nil ? "none" : "two"))
            }
        }
    }

    /// RFC 9110 section 14.4.
    @Test func aContentRangeOfTheRecording() throws {
        let sample = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(url: "https://site.example/part"),
                response: ArchiveResponse(headers: ["Content-Range": "bytes 0-0/1"]), body: writer.addBody([1, 2, 3]))
        }
        let responder = try sample.responder()
        for range in [nil, "bytes=0-0,2-2"] {
            let response = responder.get("https://site.example/part", range.map { [.range: $0] } ?? [:])
            #expect(response.status == (range == nil ? 200 : 206) && response.field(.contentRange) == nil)
        }
    }

    @Test func theFirstLayerWithAnAnswerWins() throws {
        let base = try ReplaySample()
        let patch = try ReplaySample("patch.webarc", withSite: false) { writer in
            try ReplaySample.add("https://site.example/style.css", "text/css", Array("new".utf8), writer)
        }
        let responder = ReplayResponder(
            try ReplaySite([ArchiveReader(path: patch.path), ArchiveReader(path: base.path)]))
        #expect(try responder.getPath("/style.css").text == "new")
        #expect(try responder.getPath("/").content() == ReplaySample.page)
        #expect(responder.site.mainPage.description == "https://site.example/")
    }

    @Test func whatIsMissingNamesWhatIsNear() throws {
        let sample = try ReplaySample()
        let responder = try sample.responder()
        let atRoot = responder.getPath("/stile.css")
        #expect(atRoot.status == 404)
        #expect(try atRoot.text.contains("<a href=\"/style.css\">https://site.example/style.css</a>"))
        let asProxy = responder.get("https://site.example/stile.css")
        #expect(asProxy.status == 504)
        #expect(try asProxy.text.contains("<a href=\"https://site.example/style.css\">"))
        let elsewhere = responder.get("http://nowhere.example/<script>")
        #expect(elsewhere.status == 504)
        #expect(try !elsewhere.text.contains("<script"))
        #expect(elsewhere.isMissing)
    }

    @Test(arguments: ["", "style.css", "*", "//", "http://"])
    func whatIsNoPath(_ path: String) throws {
        let sample = try ReplaySample()
        let responder = try sample.responder()
        var request = ReplayRequest("https://site.example/")
        request.head.path = path
        request.head.authority = path == "//" ? "" : "site.example"
        #expect(responder.respond(to: request).status == 400)
    }

    // MARK: - Fields

    @Test func fieldsOfTheRecordedConnectionAreLeftOut() throws {
        let sample = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(url: "https://site.example/coded"),
                response: ArchiveResponse(
                    headers: HeaderFields([
                        HeaderField(name: "Connection", value: "keep-alive, X-Hop"),
                        HeaderField(name: "X-Hop", value: "1"),
                        HeaderField(name: "Keep-Alive", value: "timeout=5"),
                        HeaderField(name: "Transfer-Encoding", value: "chunked"),
                        HeaderField(name: "Content-Encoding", value: "gzip"),
                        HeaderField(name: "Content-Length", value: "999"),
                        HeaderField(name: "Content-MD5", value: "Q2hlY2sgSW50ZWdyaXR5IQ=="),
                        HeaderField(name: "Date", value: "Sun, 06 Nov 1994 08:49:37 GMT"),
                        HeaderField(name: "Age", value: "7"), HeaderField(name: "Alt-Svc", value: "h3=\":443\""),
                        HeaderField(name: "Set-Cookie", value: "a=1"), HeaderField(name: "Set-Cookie", value: "b=2"),
                        HeaderField(name: "X-Kept", value: "yes"),
                    ]), codings: ["gzip"]),
                body: writer.addBody(Array("plain".utf8)))
        }
        let fields = try sample.responder().get("https://site.example/coded").head.headerFields
        #expect(
            fields.map { "\($0.name.canonicalName): \($0.value)" } == [
                "set-cookie: a=1", "set-cookie: b=2", "x-kept: yes",
                "etag: \"\(ContentDigest(hashing: Array("plain".utf8)))\"",
                "content-length: 5", "accept-ranges: bytes",
            ])
    }

    /// Such values are converted each time that they are sent.
    @Test func valuesThatAreNotASCIIAreShort() throws {
        let sample = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(url: "https://site.example/marks"),
                response: ArchiveResponse(
                    reason: String(repeating: "r", count: 300),
                    headers: HeaderFields([
                        HeaderField(nameBytes: Array("X-A".utf8), valueBytes: Array(repeating: 0xFF, count: 4000)),
                        HeaderField(nameBytes: Array("X-B".utf8), valueBytes: Array(repeating: 0xFF, count: 97)),
                        HeaderField(name: "X-C", value: "caf\u{E9}"),
                        HeaderField(name: "X-D", value: String(repeating: "d", count: 100_000)),
                    ])))
        }
        let head = try sample.responder().get("https://site.example/marks").head
        #expect(head.headerFields.map(\.name.rawName) == ["X-A", "X-D", "Content-Length"])
        #expect(head.status.reasonPhrase == String(repeating: "r", count: 256))
    }

    /// A hostile archive cannot end a line of the head and begin another, or a response of its own.
    @Test func nothingInAFieldEndsItsLine() throws {
        let sample = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(url: "https://site.example/split"),
                response: ArchiveResponse(
                    reason: "OK\r\nX-A: 1",
                    headers: HeaderFields([
                        HeaderField(name: "X-Value", value: "a\r\nX-B: 1\n\rX-C: 1\0"),
                        HeaderField(name: "X-Name\r\nX-D", value: "1"), HeaderField(name: "X Space", value: "1"),
                        HeaderField(name: "Location", value: "/x\r\n\r\n<script>"),
                    ])))
        }
        let head = try sample.responder().get("https://site.example/split").head
        for text in [head.status.reasonPhrase] + head.headerFields.map({ $0.name.rawName + $0.value }) {
            #expect(text.utf8.allSatisfy { $0 >= 0x20 }, "\(text.debugDescription)")
        }
        #expect(head.headerFields.map(\.name.rawName) == ["X-Value", "Location", "Content-Length"])
    }

    /// A status that has no content has none, and one that is no end is no response.
    @Test(arguments: [(204, 204), (205, 205), (304, 304), (100, 502), (101, 502), (103, 502), (599, 599), (999, 999)])
    func statuses(_ stored: Int, _ sent: Int) throws {
        let sample = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(url: "https://site.example/status"), response: ArchiveResponse(status: stored),
                body: writer.addBody(Array("content".utf8)))
        }
        let response = try sample.responder().get("https://site.example/status")
        #expect(response.status == sent)
        if sent < 400 {
            #expect(try response.content().isEmpty)
            #expect(response.field(.contentLength) == (stored == 205 ? "0" : nil))
        } else if sent > 502 {
            #expect(try response.text == "content")
        }
    }

    /// The method is stored, so that another one is no advice.
    @Test func anotherBodyIsMissing() throws {
        let sample = try ReplaySample { writer in
            try ReplaySample.add("https://site.example/api", "text/plain", Array("got".utf8), writer)
            try writer.add(
                ArchiveRequest(method: "POST", url: "https://site.example/api"),
                requestBody: writer.addBody(Array("one".utf8)), response: ArchiveResponse(),
                body: writer.addBody(Array("first".utf8)))
        }
        let responder = try sample.responder()
        #expect(
            try responder.get("https://site.example/api", method: .post, body: Array("one".utf8)).text == "first")
        #expect(responder.get("https://site.example/api", method: .post, body: Array("two".utf8)).status == 504)
        #expect(responder.get("https://site.example/api", method: .put).status == 405)
    }

    // MARK: - Damage

    @Test func aDamagedBodyIsNoAnswerAndOthersStay() throws {
        let sample = try ReplaySample()
        var bytes = try sample.folder.read("site.webarc")
        // The film is stored as it is, so that its bytes can be found.
        let start = try #require(bytes.firstRange(of: ReplaySample.film[0..<64]))
        bytes[start.lowerBound + 10] ^= 1
        let small = try #require(bytes.firstRange(of: [1, 2, 3] as [UInt8]))
        bytes[small.lowerBound] ^= 1
        try sample.folder.write("site.webarc", bytes)
        let responder = try sample.responder()
        let font = responder.get("https://cdn.example/font.woff2")
        #expect(font.status == 500)
        #expect(font.failure?.code == .damaged)
        #expect(font.failure?.offset != nil)
        #expect(try responder.get("https://site.example/").content() == ReplaySample.page)
        let film = responder.get("https://site.example/film.webm")
        #expect(throws: ArchiveError.self) { try film.content() }
        let later = responder.get("https://site.example/film.webm", [.range: "bytes=600000-600009"])
        #expect(try later.content() == Array(ReplaySample.film[600_000..<600_010]))
    }

    @Test func anArchiveWithoutEntriesIsRefused() throws {
        let sample = try ReplaySample(withSite: false) { try $0.setMetadata("title", to: "empty") }
        #expect(throws: ArchiveError.self) { try sample.responder() }
    }
}
