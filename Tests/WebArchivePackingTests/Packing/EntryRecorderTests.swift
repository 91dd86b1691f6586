// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchivePacking

/// The entries of a site, and their headers.
@Suite struct EntryRecorderTests {
    let test = PackingTest()

    private func response(_ url: String) throws -> ArchiveResponse? { try test.reader().entry(for: url)?.response }

    @Test func anIndexFileAnswersForItsFolder() throws {
        try test.write("index.html", "root")
        try test.write("docs/index.html", "docs")
        try test.write("old/index.htm", "old")
        try test.pack()
        #expect(try test.text("http://localhost/") == "root")
        #expect(try test.text("http://localhost/index.html") == "root")
        #expect(try test.text("http://localhost/docs/") == "docs")
        #expect(try test.text("http://localhost/docs/index.html") == "docs")
        #expect(try test.text("http://localhost/old/") == "old")
        #expect(try test.text("http://localhost/old/index.htm") == "old")
        let redirect = try #require(try response("http://localhost/docs"))
        #expect(redirect.status == 301)
        #expect(redirect.redirectTarget == "http://localhost/docs/")
        #expect(redirect.headers["Location"] == "/docs/")
        try test.unpack()
        #expect(try test.difference() == "")
    }

    @Test func headersSayWhatWebServersSay() throws {
        try test.write("page.html", "<!doctype html><meta charset=ISO-8859-1><p>caf\u{E9}")
        try test.write("plain.txt", "no declaration")
        try test.write("picture.png", [0x89, 0x50, 0x4E, 0x47])
        let date = Date(timeIntervalSince1970: 784_111_777)
        try FileManager.default.setAttributes(
            [.modificationDate: date], ofItemAtPath: test.folder.path("site/page.html").string)
        try test.pack()
        let page = try #require(try response("http://localhost/page.html"))
        #expect(page.headers["content-type"] == "text/html; charset=iso-8859-1")
        #expect(page.mediaType == "text/html")
        #expect(page.charset == "iso-8859-1")
        // The example of RFC 9110 section 5.6.7.
        #expect(page.headers["Last-Modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        let bytes = try test.folder.read("site/page.html")
        #expect(page.headers["Content-Length"] == String(bytes.count))
        let digest = try ExternalTool.run(["md5sum", test.folder.path("site/page.html").string]).text.prefix(32)
        #expect(page.headers["ETag"] == "\"\(digest)\"")
        #expect(try response("http://localhost/plain.txt")?.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(try response("http://localhost/picture.png")?.headers["Content-Type"] == "image/png")
    }

    @Test func headerRulesAreAppliedAndNotServed() throws {
        try test.write("_headers", "/*\n  X-Frame-Options: DENY\n/a/*\n  Cache-Control: max-age=60\n")
        try test.write("a/page.html", "a")
        try test.write("b.html", "b")
        try test.pack()
        #expect(try response("http://localhost/a/page.html")?.headers["Cache-Control"] == "max-age=60")
        #expect(try response("http://localhost/a/page.html")?.headers["X-Frame-Options"] == "DENY")
        #expect(try response("http://localhost/b.html")?.headers["Cache-Control"] == nil)
        #expect(try response("http://localhost/_headers") == nil)
        try test.unpack()
        #expect(try test.difference() == "")
    }

    @Test func anAppendedFileIsNewerThanWhatManyOtherRequestsHide() throws {
        let writer = try ArchiveWriter(creating: test.archive)
        for number in 0..<1100 {
            try writer.add(
                ArchiveRequest(method: "DELETE", url: "http://localhost/x"), response: ArchiveResponse(status: 204),
                time: ArchiveTime(seconds: Int64(number)))
        }
        try writer.add(
            ArchiveRequest(url: "http://localhost/x"), response: ArchiveResponse(),
            body: writer.addBody(Array("old".utf8)), time: ArchiveTime(seconds: 1))
        try writer.commit()
        try test.write("x", "new")
        try test.pack { $0.appends = true }
        #expect(try test.text("http://localhost/x") == "new")
    }

    /// One rule, and targets of a gigabyte.
    @Test func textsThatRedirectRulesFillInAreBounded() throws {
        for number in 0..<8 { try test.write("f\(number)", [UInt8(number)]) }
        try test.write("_redirects", "/f* /t/" + String(repeating: ":splat", count: 100) + " 301!\n")
        // Location and target: /t/ and http://localhost/t/ with a hundred digits.
        let length = 8 * (103 + 119)
        try test.pack { $0.maximumFilledTextLength = length }
        #expect(test.packingError { $0.maximumFilledTextLength = length - 1 }?.code == .limitExceeded)
    }

    /// The file is kept for unpacking also where the rule spells its URL in another way than the archive.
    @Test(arguments: [
        ("[slug]", "/[slug].html"), ("a|b", "/a|b.html"), ("q", "/x/../q.html"), ("r", "/./r.html"), ("~", "/%7e.html"),
    ])
    func aForcedRuleKeepsTheFile(_ name: String, _ source: String) throws {
        try test.write("\(name).html", "kept")
        try test.write("target.html", "target")
        try test.write("_redirects", "\(source) /target.html 301!")
        try test.pack()
        try test.unpack()
        #expect(try test.difference() == "")
        let target = try test.reader().entry(for: CanonicalURL("http://localhost").resolving(source))?.redirectTarget
        #expect(target == "http://localhost/target.html")
    }

    @Test func aRuleForOtherPagesChangesNothing() throws {
        try test.write("a/page.html", "<meta charset=utf-8>a")
        try test.write("b.png", "b")
        try test.pack()
        let urls = ["http://localhost/a/page.html", "http://localhost/b.png"]
        let plain = try urls.map { try response($0) }
        try test.write("_headers", "/elsewhere\n  X-A: b\n")
        try test.pack()
        #expect(try urls.map { try response($0) } == plain)
    }

    @Test(arguments: ["image.svgz", "IMAGE.SVGZ"])
    func aCompressedImageHasItsContentCoding(_ name: String) throws {
        // gzip of nothing, RFC 1952.
        let bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        try test.write(name, bytes)
        try test.pack()
        let fields = try #require(try response("http://localhost/\(name)")?.headers)
        #expect(fields["Content-Encoding"] == "gzip" && fields["Content-Type"] == "image/svg+xml")
        try test.unpack()
        #expect(try test.folder.read("out/\(name)") == bytes)
    }

    @Test func redirectRulesBecomeRecords() throws {
        let rules = """
            # moved
            /old.html /new.html
            /temporary https://example.org/x 302
            /app /new.html 200
            /new.html /never 301
            /forced.html /new.html 301!
            /missing /new.html 404
            /many/* /new/:splat
            """
        try test.write("_redirects", rules)
        try test.write("index.html", "home")
        try test.write("new.html", "new")
        try test.write("forced.html", "hidden")
        let summary = try test.pack()
        #expect(try response("http://localhost/old.html")?.status == 301)
        #expect(try response("http://localhost/old.html")?.redirectTarget == "http://localhost/new.html")
        #expect(try response("http://localhost/temporary")?.status == 302)
        #expect(try response("http://localhost/temporary")?.redirectTarget == "https://example.org/x")
        #expect(try test.text("http://localhost/app") == "new")
        #expect(try response("http://localhost/new.html")?.status == 200)
        #expect(try response("http://localhost/forced.html")?.redirectTarget == "http://localhost/new.html")
        #expect(try response("http://localhost/missing")?.status == 404)
        #expect(try test.text("http://localhost/missing") == "new")
        #expect(summary.warnings.isEmpty)
        #expect(try test.reader().metadata()["redirectRules"] == "http://localhost/_redirects")
        try test.unpack()
        #expect(try test.difference() == "")
    }

    @Test func linesThatCannotBeReadAreNamed() throws {
        try test.write("_headers", "/a\n  good: 1\nnot a rule\nnor this\n")
        try test.write("_redirects", "nowhere\n/b /c\n")
        let warnings = try test.pack().warnings
        #expect(warnings.map(\.code) == [.lineSkipped, .lineSkipped, .lineSkipped])
        #expect(warnings.map(\.line) == [3, 4, 1])
        #expect(warnings.allSatisfy { $0.path.contains("site/_") })
        #expect(try response("http://localhost/b")?.redirectTarget == "http://localhost/c")
    }

    /// An entry for one URL would answer before an earlier rule of wider reach.
    @Test(arguments: [
        ("/f* /wide 302\n/from /one 302\n", nil), ("/from /one 302\n/f* /wide 302\n", "http://localhost/one"),
        ("/from /german 302 Language=de\n/from /one 302\n", nil), ("/g* /wide\n/from /one\n", "http://localhost/one"),
        ("/f* /wide 302\n/from /one 302!\n", nil),
    ])
    func aRuleBehindAWiderOneIsNoEntry(_ rules: String, _ target: String?) throws {
        try test.write("_redirects", rules)
        try test.pack()
        #expect(try response("http://localhost/from")?.redirectTarget == target)
    }

    @Test func contentThatARuleGivesIsPacked() throws {
        try test.write("index.html", "x")
        try test.write("_redirects", "/app/* /index.html 200\n/shop/* /shop.html 200\n/old/* /:splat 200\n")
        let warnings = try test.pack().warnings
        #expect(warnings.map(\.code) == [.targetMissing] && warnings.map(\.line) == [2])
    }

    /// A page without its ending exists, as it does for a reader (section 8.5 of the specification): a rule does not hide it, and may lead to it.
    @Test func pagesWithoutTheirEndingAreThere() throws {
        try test.write("about.html", "about")
        try test.write("_redirects", "/about /other 301\n/forced /x 301!\n/us /about 200\n/all/* /about 200\n")
        #expect(try !test.pack().warnings.contains { $0.code == .targetMissing })
        #expect(try response("http://localhost/about") == nil)
        #expect(try test.text("http://localhost/us") == "about")
    }

    @Test(arguments: ["/loop /loop 301", "/loop http://localhost/loop", "/loop /loop 302!"])
    func aRuleThatLeadsToItselfIsIgnored(_ rule: String) throws {
        try test.write("index.html", "x")
        try test.write("_redirects", "\(rule)\n/loop /index.html 200\n")
        #expect(try test.pack().warnings.map(\.code) == [.redirectLoop])
        #expect(try response("http://localhost/loop")?.redirectTarget == nil)
    }

    /// Each site of an archive has rules of its own.
    @Test func appendedRulesJoinThoseThatAreThere() throws {
        try test.write("_redirects", "/a/* /b\n")
        try test.pack()
        try test.pack { $0.appends = true }
        #expect(try test.reader().metadata()["redirectRules"] == "http://localhost/_redirects")
        try test.pack {
            $0.appends = true
            $0.baseURL = "https://other.example/"
        }
        let both = "http://localhost/_redirects https://other.example/_redirects"
        #expect(try test.reader().metadata()["redirectRules"] == both)
    }

    /// Readers look at sixteen files.
    @Test func rulesOfTheSeventeenthSite() throws {
        try test.write("_redirects", "/a/* /b\n")
        var codes: [PackingWarning.Code] = []
        for number in 0..<17 {
            codes = try test.pack {
                $0.appends = number > 0
                $0.baseURL = "http://host\(number)/"
            }.warnings.map(\.code)
        }
        #expect(codes == [.rulesNotApplied])
        #expect(try test.reader().metadata()["redirectRules"]?.split(separator: " ").count == 16)
    }

    @Test func aTimeFromAnOptionIsEveryEntrysTime() throws {
        try test.write("a/index.html", "a")
        let time = try #require(ArchiveTime(seconds: 1_000_000_000))
        try test.pack { $0.time = time }
        for entry in try test.reader().entries() { #expect(try entry.time == time) }
    }

    @Test func appendingAddsOnlyWhatIsNew() throws {
        try test.write("same/index.html", "same")
        try test.write("changes.html", "first")
        try test.pack()
        let before = try test.reader().entryCount
        try test.write("changes.html", "second")
        try test.write("new.html", "new")
        try test.pack { $0.appends = true }
        let reader = try test.reader()
        #expect(reader.commitCount == 2)
        #expect(reader.entryCount == before + 2)
        #expect(try test.text("http://localhost/changes.html") == "second")
        #expect(try test.text("http://localhost/same/") == "same")
        #expect(ArchiveVerifier(reader).run().isEmpty)
        try test.pack { $0.appends = true }
        #expect(try test.reader().commitCount == 2, "nothing changed, so nothing is written")
        try test.unpack()
        #expect(try test.difference() == "")
    }

    /// A fetched entry has a time, and a packed one none, so that it would be the older one for ever.
    @Test(arguments: [1_700_000_000, Int64.max / 1_000_000_000]) func appendingTakesThePlaceOfLaterCaptures(
        seconds: Int64
    ) throws {
        let time = try #require(ArchiveTime(seconds: seconds))
        let fetched = try ArchiveWriter(creating: test.archive)
        for url in ["http://localhost/", "http://localhost/index.html", "http://localhost/page.html"] {
            try fetched.add(
                ArchiveRequest(url: url), response: ArchiveResponse(headers: ["Content-Type": "text/html"]),
                body: fetched.addBody(Array("old".utf8)), time: time)
        }
        try fetched.commit()
        for name in ["index.html", "page.html"] { try test.write(name, "new \(name)") }
        try test.pack { $0.appends = true }
        #expect(try test.text("http://localhost/") == "new index.html")
        #expect(try test.text("http://localhost/index.html") == "new index.html")
        #expect(try test.text("http://localhost/page.html") == "new page.html")
        let count = try test.reader().commitCount
        try test.pack { $0.appends = true }
        #expect(try test.reader().commitCount == count, "nothing changed, so nothing is written")
        // An older capture that a later commit brings is neither served nor unpacked.
        let late = try ArchiveWriter(appendingTo: test.archive)
        try late.add(
            ArchiveRequest(url: "http://localhost/page.html"),
            response: ArchiveResponse(headers: ["Content-Type": "text/html"]),
            body: late.addBody(Array("older".utf8)), time: ArchiveTime(seconds: 1))
        try late.commit()
        #expect(try test.text("http://localhost/page.html") == "new page.html")
        try test.unpack()
        #expect(try test.difference() == "")
    }

    /// Appending a folder has the same result as packing it again, and an unchanged folder adds nothing.
    @Test(arguments: [
        "/p /x.html 200\n/q /p 404", "/p /x.html 200!\n/q /p 404!\n/r /q 410", "/home /index.html 200",
        "/index.html /x.html 200", "/index.html /x.html 301", "/index.html / 301", "/d/ /a 302",
        "/a /d/ 200\n/b /d 404",
        "/f /one 302!\n/f /two 302!", "/x.html /one 302\n/x.html /two 302!",
        "/x.html /index.html 200!\n/x.html /two 302!",
        "/x.html /index.html 301!", "/e /x.html 302\n/e/ /x.html 302", "/d / 404\n/d/ /x.html 301!",
    ])
    func appendingWithRules(_ rules: String) throws {
        let urls = [
            "", "f", "e", "e/", "index.html", "x.html", "p", "q", "r", "home", "d", "d/", "d/index.html", "a", "b",
        ]
        func answers() throws -> [String] {
            try urls.map { name in
                let found = try response("http://localhost/\(name)")
                let text = found?.isRedirect == false ? try test.text("http://localhost/\(name)") ?? "" : ""
                return "\(name): \(found?.status ?? 0) \(found?.redirectTarget ?? "none") \(text)"
            }
        }
        for name in ["index.html", "x.html", "d/index.html"] { try test.write(name, name) }
        try test.pack()
        try test.write("_redirects", rules)
        try test.pack { $0.appends = true }
        let appended = try answers()
        let count = try test.reader().commitCount
        try test.pack { $0.appends = true }
        #expect(try test.reader().commitCount == count, "nothing changed, so nothing is written")
        try FileManager.default.removeItem(atPath: test.archive.string)
        try test.pack()
        #expect(try answers() == appended)
    }

    /// A forced rule answers for a path with and without a slash at its end, and for each file that its pattern names.
    @Test(arguments: [
        ("/d /x.html 301!", "d d/"), ("/d/ /x.html 301!", "d d/"), ("/x.html/ /new 301!", "x.html"),
        ("/d/* /new/:splat 302!", "d d/ d/index.html d/page.html"),
    ]) func forcedRulesTakeThePlaceOfFiles(_ rules: String, _ replaced: String) throws {
        for name in ["index.html", "x.html", "d/index.html", "d/page.html"] { try test.write(name, name) }
        try test.write("_redirects", rules)
        try test.pack()
        let replaced = Set(replaced.split(separator: " ").map(String.init))
        for name in ["", "index.html", "x.html", "d", "d/", "d/index.html", "d/page.html"] {
            let found = try #require(try response("http://localhost/\(name)"), "\(name)")
            let isRule = found.isRedirect && found.redirectTarget != "http://localhost/d/"
            #expect(isRule == replaced.contains(name), "\(name): \(found)")
        }
        try test.unpack()
        #expect(try test.difference() == "")
    }

    /// Of two rules for one URL the first one counts.
    @Test(arguments: ["", "!"]) func theFirstRuleCounts(_ mark: String) throws {
        try test.write("index.html", "root")
        try test.write("_redirects", "/f /one 302\(mark)\n/f /two 302!\n")
        try test.pack()
        #expect(try response("http://localhost/f")?.redirectTarget == "http://localhost/one")
    }

    /// An unknown time is 0 in the format, which is later than times before 1970.
    @Test func appendingWithATimeBefore1970() throws {
        try test.write("page.html", "old")
        try test.pack { $0.time = nil }
        try test.write("page.html", "new")
        try test.pack {
            $0.appends = true
            $0.time = ArchiveTime(seconds: -1)
        }
        #expect(try test.text("http://localhost/page.html") == "new")
    }

    @Test func appendingKeepsToTheBlocksOfTheArchive() throws {
        var generator = SeededGenerator.forTest()
        let words = (0..<500).map { _ in String(UInt64.random(in: 0 ... .max, using: &generator), radix: 36) }
        for number in 0..<80 {
            let page = (0..<900).map { _ in words.randomElement(using: &generator)! }.joined(separator: " ")
            try test.write("page\(number).html", page)
        }
        let small = try ArchiveWriter(creating: test.archive, options: ArchiveWriter.Options(blockExponent: 12))
        try small.setMetadata("title", to: "blocks of 4 KiB")
        try small.commit()
        try test.pack { $0.appends = true }
        #expect(ArchiveVerifier(try test.reader()).run().isEmpty, "seed \(generator.seed)")
        try test.unpack()
        #expect(try test.difference() == "", "seed \(generator.seed)")
    }

    @Test func twoSourcesWithOneURLAreAnError() throws {
        try test.write("a.html", "1")
        try test.folder.write("other/a.html", "2".utf8)
        #expect(throws: ArchiveError(.invalidArgument, "")) {
            try ArchivePacker([test.site, test.folder.path("other")], into: test.archive).run()
        }
    }
}
