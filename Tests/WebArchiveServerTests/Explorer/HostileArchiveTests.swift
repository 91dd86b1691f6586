// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay
@testable import WebArchiveServer

/// Archives whose every text is an attack on the page that shows it.
@Suite struct HostileArchiveTests {
    private static let attack = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>\u{0}\u{202E}&lt;"

    private func client() throws -> ExplorerClient {
        let attack = Self.attack
        let sample = try ReplaySample { writer in
            let bytes = Array(attack.utf8)
            let fields = HeaderFields([
                HeaderField(nameBytes: bytes, valueBytes: bytes),
                HeaderField(nameBytes: [0xFF, 0x00], valueBytes: bytes + [0xFF, 0xFE, 0x0A, 0x80]),
            ])
            var response = ArchiveResponse(
                status: 200, reason: attack, headers: fields, mediaType: "text/html" + attack, charset: attack,
                address: attack, codings: [attack])
            try writer.add(
                ArchiveRequest(method: "M" + attack, url: "https://site.example/?\(attack)", headers: fields),
                response: response, body: writer.addBody(Array("<script>".utf8)))
            response.redirectTarget = "javascript:alert(1)//\(attack)"
            response.status = 302
            try writer.add(ArchiveRequest(url: "https://site.example/away2"), response: response)
            try writer.add(
                ArchiveRequest(url: "https://site.example//evil.example/"), response: ArchiveResponse(),
                body: writer.addBody([1]))
            try ReplaySample.add("javascript:alert(1)", "text/html", [2], writer)
            try writer.setMetadata("title", to: attack)
            try writer.setMetadata("x-" + attack, to: attack)
        }
        return try ExplorerClient(sample)
    }

    /// Python's parser sees in every page the tags and attributes of the explorer only, and links to the explorer and the site only.
    @Test(.enabled(if: Python.isThere)) func nothingOfAnArchiveIsMarkup() throws {
        let client = try client()
        client.service.note(client.get("/\(Self.attack)"))
        let ids = try EntrySearch(QueryFields("limit=500")).run(#require(client.service.library).responder.site).rows
            .map(\.id)
        #expect(ids.count > 10)
        let escaped = QueryFields.link("", ["q": Self.attack, "type": Self.attack, "status": Self.attack])
        let paths =
            [
                "/-/", "/-/entries", "/-/entries\(escaped)&kind=\(escaped.dropFirst(3))", "/-/space",
                "/-/space?folder=",
                "/-/misses", "/-/space?folder=https://site.example/",
                QueryFields.link("/-/space", ["folder": "https://site.example/" + Self.attack]),
            ] + ids.map { "/-/entry?entry=\($0)" }
        let pages = try paths.map { path in try client.html(path) }
        for (path, page) in zip(paths, pages) {
            #expect(!page.unicodeScalars.contains { $0 == "\u{0}" || $0 == "\u{202E}" }, "\(path)")
        }
        let script = """
            import sys, json, html.parser
            TAGS = set("html meta title style body a nav ul li main h1 h2 form div label input datalist option select \\
            button p ol br small time table caption tr th td svg rect text g iframe img code strong audio video".split())
            ATTRIBUTES = set("lang charset name content class href aria-label aria-current id action role for type value \\
            size list selected scope aria-hidden tabindex width height x y sandbox src title alt controls preload".split())
            class P(html.parser.HTMLParser):
                def handle_starttag(self, tag, attrs):
                    names = [n for n, _ in attrs]
                    d = dict(attrs)
                    if tag not in TAGS or set(names) - ATTRIBUTES or len(set(names)) != len(names): self.bad.append((tag, attrs))
                    for n in ("href", "src", "action"):
                        v = d.get(n, "/x")
                        if not (v.startswith("/") and not v.startswith("//") or v == "#main"): self.bad.append((tag, attrs))
                    if tag == "iframe" and d.get("sandbox", "-") not in (None, ""): self.bad.append((tag, attrs))
            for line in sys.stdin:
                p = P(); p.bad = []; p.feed(json.loads(line)); p.close()
                print(json.dumps(p.bad))
            """
        let findings = try Python.answers(script, to: pages.map { JSONValue.string($0).line })
        for (path, finding) in zip(paths, findings) { #expect(finding == "[]", "\(path)") }
    }

    /// Nor do other pages have characters that end a line or change the direction: those for a miss, and the list of archives.
    @Test func pagesForVisitorsArePrintable() throws {
        let unprintable: Set<Unicode.Scalar> = ["\u{0}", "\u{1B}", "\u{202E}", "\u{7F}", "\u{85}", "\u{2028}"]
        let attack = "\u{0}\u{1B}[2J\u{202E}\u{7F}\u{85}\u{2028}x"
        let sample = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(method: "M\(attack)", url: "https://site.example/a"), response: ArchiveResponse())
            try writer.setMetadata("title", to: attack)
            try writer.setMetadata("description", to: attack)
            try writer.setMetadata("language", to: attack)
        }
        let reader = try ArchiveReader(path: sample.path)
        let item = StartPage.Item(
            name: attack, address: "http://a.localhost/", description: ArchiveDescription(of: reader))
        let broken = StartPage.Item(
            name: attack, address: "http://b.localhost/",
            description: ArchiveDescription(of: sample.folder.path("none\(attack.dropFirst())")))
        let list = StartPage([item, broken], imageSources: [], for: ReplayRequest("http://localhost/").head)
        let miss = try sample.responder().getPath("/a")
        #expect(miss.status == 404 && list.html.contains("\\x1b[2J\\u{202e}"))
        let notice = NoticePage(title: attack, text: [attack], suggestions: [(attack, nil)])
        let arabic = DeviceLanguage.all.first { $0.isRightToLeft } ?? .english
        let translated = NoticePage(.missingTitle, .missingText, in: arabic, ["url": attack])
        for page in [list.html, try miss.text, notice.html, translated.html] {
            #expect(page.contains("\\x1b[2J\\u{202e}\\x7f\\x85\\u{2028}x"))
            #expect(!page.unicodeScalars.contains(where: unprintable.contains))
        }
        // The marks of the language itself stay.
        #expect(translated.html.unicodeScalars.contains("\u{2068}"))
    }

    @Test func jsonStaysJSON() throws {
        let client = try client()
        let entries = try #require(try client.json("/-/api/entries?limit=500")["entries"] as? [[String: Any]])
        for entry in entries {
            let id = try #require(entry["id"] as? String)
            #expect(try client.json("/-/api/entry?entry=\(id)")["id"] as? String == id)
        }
        _ = try client.json("/-/api/space?folder=")
        #expect(try client.json("/-/api/archives")["archives"] is [Any])
    }

    /// A million bytes of a text are shown in part.
    @Test func longTextsAreCut() throws {
        let long = String(repeating: "x", count: 1_000_000)
        let sample = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(url: "https://site.example/long"),
                response: ArchiveResponse(reason: long, headers: HeaderFields([HeaderField(name: long, value: long)])))
            try writer.setMetadata("title", to: long)
        }
        let client = try ExplorerClient(sample)
        for path in ["/-/", "/-/entries", "/-/entry?url=https://site.example/long"] {
            #expect(try client.html(path).utf8.count < 60_000, "\(path)")
        }
    }
}
