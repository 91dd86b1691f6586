// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@Suite("extract")
struct ExtractTests {
    private let folder: TemporaryFolder
    private var file: String { folder.path("site.webarc").string }
    private var part: String { folder.path("part.webarc").string }

    /// A site of a page, two folders and a rule file, of which all small files share blocks.
    init() throws {
        folder = try TemporaryFolder()
        let files = [
            "index.html": "<title>Home</title>", "docs/index.html": "<title>Docs</title>",
            "docs/my page.html": "<p>mine", "docs/style.css": "p { color: red }", "old/secret.html": "<p>hunter2",
            "_redirects": "/away /docs/ 302\n",
        ]
        for (name, text) in files { try folder.write("site/\(name)", Array(text.utf8)) }
        try webarc("pack", "site", "-o", "site.webarc", "--base-url", "https://a.test/", "--title", "All")
    }

    @discardableResult
    private func webarc(_ arguments: String..., status: Int32 = 0) throws -> ExternalTool.Result {
        let result = try WebarcTool.run(arguments, in: folder.url)
        try #require(result.status == status, "\(arguments): \(result.errorText)")
        return result
    }

    private func paths(_ archive: String = "part.webarc") throws -> [String] {
        try webarc("ls", archive).lines.map { $0.replacingOccurrences(of: "https://a.test", with: "") }
    }

    @Test func aFolderWithItsAliasesAndTheRules() throws {
        let result = try webarc("extract", "site.webarc", "-o", "part.webarc", "--include", "/docs/**", "--json")
        let answered = ["/docs", "/docs/", "/docs/index.html", "/docs/my%20page.html", "/docs/style.css"]
        let listed = Set(try paths())
        #expect(listed.isSuperset(of: ["/_redirects", "/docs/", "/docs/index.html"]))
        #expect(listed.isSubset(of: answered + ["/_redirects", "/away"]))
        for path in answered.dropFirst() {
            let before = try webarc("cat", "site.webarc", path)
            #expect(try webarc("cat", "part.webarc", path).output == before.output)
        }
        #expect(try webarc("cat", "--follow", "part.webarc", "/away").text == "<title>Docs</title>")
        #expect(try ArchiveReader(path: FilePath(part)).metadata()["title"] == "All")
        try webarc("verify", "part.webarc")
        let object = try #require(try result.objects.first)
        #expect(object["entries"] as? Int == listed.count)
        #expect(object["totalEntries"] as? Int == (try paths("site.webarc").count))
        #expect(object["length"] as? Int == (try folder.read("part.webarc").count))
    }

    /// Blocks that others share are compressed again: a reader of the part cannot read the rest.
    @Test func nothingOfTheRestIsInTheFile() throws {
        try webarc("pack", "site", "-o", "site.webarc", "--base-url", "https://a.test/", "--level", "fast")
        func holdsSecret(_ name: String) throws -> Bool {
            Data(try folder.read(name)).range(of: Data("hunter2".utf8)) != nil
        }
        try #require(try holdsSecret("site.webarc"))
        try webarc("extract", "site.webarc", "-o", "part.webarc", "--exclude", "old/")
        #expect(try !holdsSecret("part.webarc"))
        #expect(try !paths().contains { $0.hasPrefix("/old") })
    }

    /// A dictionary consists of parts of pages, short ones as a whole.
    @Test(arguments: ["fast", "6", "12"]) func noDictionaryOfTheRestStays(level: String) throws {
        var random = SeededGenerator.printed()
        let words = (0..<3_000).map { _ in String(UInt64.random(in: 0 ... .max, using: &random), radix: 36) }
        func text(_ count: Int) -> String {
            (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
        }
        for (name, content) in [
            ("a-big", text(30_000)), ("b-secret", "hunter2 " + text(50)), ("c-big", text(80_000)),
            ("d-secret", "hunter3 " + text(50)),
        ] { try folder.write("big/\(name).html", Array("<p>\(content)".utf8)) }
        try webarc("pack", "big", "-o", "site.webarc", "--base-url", "https://a.test/", "--level", level)
        func dictionaryCount(_ name: String) throws -> Int? {
            try webarc("info", name, "--json").objects.first?["dictionaries"] as? Int
        }
        try #require(try dictionaryCount("site.webarc") == 1)
        try webarc("extract", "site.webarc", "-o", "part.webarc", "--exclude", "*-secret.html")
        #expect(try dictionaryCount("part.webarc") == 0)
        try webarc("verify", "part.webarc")
        for name in ["a-big", "c-big"] {
            #expect(
                try webarc("cat", "part.webarc", "/\(name).html").output == Data(try folder.read("big/\(name).html")))
        }
        try webarc("extract", "site.webarc", "-o", "all.webarc", "--include", "**")
        #expect(try dictionaryCount("all.webarc") == 1)
    }

    /// A dictionary that is a page as well goes with the page.
    @Test func noPageThatIsADictionaryStays() throws {
        try HostileArchive.write("a-page-as-dictionary", to: folder.path("site.webarc"))
        try webarc("extract", "site.webarc", "-o", "part.webarc", "--exclude", "/secret")
        #expect(Data(try folder.read("part.webarc")).range(of: Data("hunter2".utf8)) == nil)
        #expect(
            try webarc("cat", "part.webarc", "/public").output.starts(with: Data("<!doctype html><title>Welcome".utf8)))
    }

    /// The page of a folder and its file are one response.
    @Test func excludingAnAliasExcludesItsPage() throws {
        try webarc("extract", "site.webarc", "-o", "part.webarc", "--exclude", "/docs/index.html")
        let listed = try paths()
        #expect(!listed.contains("/docs/") && !listed.contains("/docs/index.html"))
        #expect(listed.contains("/docs/style.css"))
    }

    @Test(arguments: [
        (["--include", "*.css"], ["/docs/style.css"]), (["--include", "my page.html"], ["/docs/my%20page.html"]),
        (["--include", "my%20page.html"], ["/docs/my%20page.html"]),
        (["--include", "https://a.test/docs/*.css"], ["/docs/style.css"]),
        (["--include", "*.css", "--include", "old/"], ["/docs/style.css", "/old/secret.html"]),
        (["--include", "docs/", "--exclude", "*.html", "--exclude", "docs"], []),
        (["--url", "/docs/s"], ["/docs/style.css"]), (["--url", "/docs/", "--include", "*.css"], ["/docs/style.css"]),
        (["--include", "https://b.test/"], []),
    ])
    func patterns(_ options: [String], _ expected: [String]) throws {
        let result = try WebarcTool.run(["extract", "site.webarc", "-o", "part.webarc"] + options, in: folder.url)
        #expect(result.status == (expected.isEmpty ? 1 : 0), "\(result.errorText)")
        guard !expected.isEmpty else { return }
        #expect(try paths().filter { $0 != "/_redirects" && $0 != "/away" } == expected)
    }

    @Test func theMainPageGoesWithAWarning() throws {
        try webarc("pack", "site", "-o", "site.webarc", "--base-url", "https://a.test/", "--main-page", "index.html")
        let result = try webarc("extract", "site.webarc", "-o", "part.webarc", "--include", "docs/")
        #expect(result.errorText.contains("https://a.test/index.html") && result.errorLines.count == 1)
        #expect(try ArchiveReader(path: FilePath(part)).metadata()["mainPage"] == nil)
        #expect(try webarc("extract", "site.webarc", "-o", "part.webarc", "--exclude", "old/").errorText.isEmpty)
        #expect(try ArchiveReader(path: FilePath(part)).metadata()["mainPage"] == "https://a.test/index.html")
    }

    @Test(arguments: [
        (["--include", "/dosc/**"], "similar: /docs"), (["--include", "sytle.css"], "similar: style.css"),
        (["--url", "https://a.tets/docs/"], "similar: https://a.test/docs/"),
        (["--include", "nothing-like-it"], "matches\n"), (["--exclude", "**"], "excluded"),
    ])
    func nothingMatches(_ options: [String], _ message: String) throws {
        try folder.write("part.webarc", folder.read("site.webarc"))
        let result = try WebarcTool.run(["extract", "site.webarc", "-o", "part.webarc"] + options, in: folder.url)
        #expect(result.status == 1 && result.errorText.contains(message), "\(result.errorText)")
        #expect(result.errorLines.count == 1)
        #expect(try folder.read("part.webarc") == folder.read("site.webarc"))
    }

    @Test func theArchiveItselfIsNoTarget() throws {
        let before = try folder.read("site.webarc")
        try FileManager.default.createSymbolicLink(atPath: part, withDestinationPath: "site.webarc")
        for name in ["site.webarc", "part.webarc"] {
            try webarc("extract", "site.webarc", "-o", name, "--exclude", "old/", status: 64)
            #expect(try folder.read("site.webarc") == before)
        }
        try folder.write("notes.txt", Array("mine".utf8))
        try webarc("extract", "site.webarc", "-o", "notes.txt", "--exclude", "old/", status: 73)
        #expect(try folder.read("notes.txt") == Array("mine".utf8))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!names.contains { $0.hasSuffix(".partial") })
    }

    @Test func allCapturesComeWithTheirBodies() throws {
        let sample = try SampleArchive(commits: 4)
        let result = try WebarcTool.run("extract", sample.file, "-o", part, "--include", "news", "--include", "tie")
        #expect(result.status == 0, "\(result.errorText)")
        let isTaken = { (line: String) in
            line.contains("/news\"") || line.contains("/news/\"") || line.contains("/tie\"")
        }
        let wanted = try WebarcTool.run("ls", sample.file, "--json").lines.filter(isTaken)
        #expect(try WebarcTool.run("ls", part, "--json").lines == wanted)
        #expect(try WebarcTool.run("cat", part, SampleArchive.base + "tie").text == "News number 3")
    }

    @Test func damageIsLeftOutAndReported() throws {
        var random = SeededGenerator.printed()
        for name in ["a", "b"] { try folder.write("big/\(name).bin", random.bytes(300_000)) }
        try webarc("pack", "big", "-o", "big.webarc", "--base-url", "https://a.test/")
        var bytes = try folder.read("big.webarc")
        bytes[96 + 300_000 + 10] ^= 1
        try folder.write("big.webarc", bytes)
        let result = try webarc("extract", "big.webarc", "-o", "part.webarc", "--include", "*.bin", status: 1)
        #expect(result.errorText.contains("left out: big.webarc: https://a.test/b.bin"))
        try webarc("verify", "part.webarc")
        #expect(try webarc("cat", "part.webarc", "/a.bin").output == Data(folder.read("big/a.bin")))
    }
}
