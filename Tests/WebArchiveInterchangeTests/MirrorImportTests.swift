// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

@Suite struct MirrorImportTests {
    private let folder = try! TemporaryFolder()  // A test without a folder has nothing to say.
    private var mirror: FilePath { folder.path("mirror") }
    private var path: FilePath { folder.path("a.webarc") }

    private func write(_ files: [String: String]) throws {
        for (name, text) in files { try folder.write("mirror/\(name)", Array(text.utf8)) }
    }

    @discardableResult
    private func run(scheme: String = "https") throws -> ArchiveImporter.Summary {
        var options = ArchiveImporter.Options()
        options.assumedScheme = scheme
        return try ArchiveImporter(into: path, options: options).run([mirror])
    }

    /// Returns the bodies of all served entries by their URLs.
    private func bodies() throws -> [String: String] {
        var bodies: [String: String] = [:]
        for entry in try ArchiveReader(path: path).entries() {
            bodies[try entry.key] = String(decoding: try entry.body?.bytes() ?? [], as: UTF8.self)
        }
        return bodies
    }

    /// Names as wget writes them, and their URLs.
    @Test(arguments: [
        ("a.example/index.html", ["https://a.example/", "https://a.example/index.html"]),
        ("a.example/d/index.html", ["https://a.example/d/", "https://a.example/d/index.html"]),
        ("a.example/p?q=1&r=2", ["https://a.example/p?q=1&r=2", "https://a.example/p%3Fq=1&r=2"]),
        (
            "a.example/p?q=1.html",
            ["https://a.example/p?q=1", "https://a.example/p?q=1.html", "https://a.example/p%3Fq=1.html"]
        ),
        ("a.example/index.html?C=N;O=D", ["https://a.example/?C=N;O=D", "https://a.example/index.html%3FC=N;O=D"]),
        ("a.example/p?u=%2Fx", ["https://a.example/p?u=%2Fx", "https://a.example/p%3Fu=%2Fx"]),
        ("a.example/p.php.html", ["https://a.example/p.php", "https://a.example/p.php.html"]),
        ("a.example/sp ace/é#1%.txt", ["https://a.example/sp%20ace/%C3%A9%231%25.txt"]),
        ("a.example/b@2x.png", ["https://a.example/b@2x.png"]),
        ("a.example+8080/p@q=1", ["https://a.example:8080/p?q=1", "https://a.example:8080/p@q=1"]),
        ("a.example:8080/x", ["https://a.example:8080/x"]), ("http/a.example/x", ["http://a.example/x"]),
        ("localhost/x", ["https://localhost/x"]),
    ]) func names(_ name: String, _ urls: [String]) throws {
        let path = name.split(separator: "/").map { Array($0.utf8) }
        let site = try #require(MirrorSite(path, scheme: "https"))
        #expect(site.urls(path) == urls)
    }

    @Test(arguments: ["index.html", "src/main.c", ".git/a.b", "hts-cache/new.zip", "a@b.example/x", "%61.b/x"])
    func noHosts(_ name: String) {
        #expect(MirrorSite(name.split(separator: "/").map { Array($0.utf8) }, scheme: "https") == nil)
    }

    /// Originals instead of files with changed links; links and special files are left out.
    @Test func originals() throws {
        try write([
            "a.example/index.html": "changed", "a.example/index.html.orig": "received",
            "a.example/about.html": "changed",
            "a.example/about.orig": "received", "a.example/alone.orig": "alone", "index.html": "no host",
        ])
        let outside = try folder.write("secret", Array("secret".utf8))
        try FileManager.default.createSymbolicLink(
            atPath: mirror.appending("a.example/link.html").string, withDestinationPath: outside.string)
        try FileManager.default.createSymbolicLink(
            atPath: mirror.appending("b.example").string, withDestinationPath: folder.url.path)
        #expect(mkfifo(mirror.appending("a.example/pipe").string, 0o600) == 0)
        let summary = try run(scheme: "http")
        #expect(summary.guessedURLs == 3 && summary.skippedFiles == 3)
        #expect(
            try bodies() == [
                "http://a.example/": "received", "http://a.example/index.html": "received",
                "http://a.example/about": "received", "http://a.example/about.html": "received",
                "http://a.example/alone.orig": "alone",
            ])
    }

    /// The responses are derived, and have the time of their files.
    @Test func responses() throws {
        try write(["a.example/p?q=1": "<!DOCTYPE HTML><p>", "a.example/a.css": "p{}", "a.example/b.zip": "zip"])
        let time = Date(timeIntervalSince1970: 1_600_000_000)
        try FileManager.default.setAttributes(
            [.modificationDate: time], ofItemAtPath: mirror.appending("a.example/a.css").string)
        try run()
        let archive = try ArchiveReader(path: path)
        let entry = try #require(try archive.entry(for: CanonicalURL("https://a.example/a.css")))
        #expect(try entry.response?.headers == ["Content-Type": "text/css"] && entry.response?.isDerived == true)
        #expect(try entry.time == ArchiveTime(seconds: 1_600_000_000) && entry.modified == entry.time)
        let page = try #require(try archive.entry(for: CanonicalURL("https://a.example/p?q=1")))
        #expect(try page.response?.mediaType == "text/html")
        let other = try #require(try archive.entry(for: CanonicalURL("https://a.example/b.zip")))
        #expect(try other.response?.mediaType == "application/zip")
        #expect(ArchiveVerifier(archive).run().isEmpty)
    }

    /// The list and the comments of HTTrack tell URLs.
    @Test func httrack() throws {
        let head =
            "date\tsize'/'remotesize\tflags(...)\tstatuscode\tstatus ('servermsg')\tMIME\tEtag|Date\tURL\tlocalfile\t(from URL)\n"
        let comment = "by HTTrack Website Copier/3.x [XR&CO'2014], Thu, 15 Aug 2024 02:22:35 GMT -->"
        try write([
            "index.html": "own", "hts-log.txt": "log",
            "hts-cache/new.txt": head
                + "18:41:48\t9/9\t---M--\t404\terror ('Not%20Found')\ttext/html\tdate:x\thttp://a.example/robots.txt\t\t(from )\n"
                + "18:41:48\t9/9\t---M--\t200\tadded ('OK')\ttext/html\tetag:x\ta.example/list?p=1\t/old/place/a.example/list4f1a.html\t(from )\n",
            "a.example/list4f1a.html": "list", "intranet/x.txt": "x",
            "a.example/page.html": "<html><!-- Mirrored from a.example/page.php?id=1 \(comment)",
            "a.example/end.html": String(repeating: "x", count: 40_000)
                + "<!-- Mirrored from a.example/end.php \(comment)",
            "a.example/false.html": "<html><!-- Mirrored from b.example/ \(comment)",
        ])
        let summary = try run()
        #expect(summary.guessedURLs == 4)
        #expect(
            try Set(bodies().keys) == [
                "http://a.example/list?p=1", "https://a.example/list4f1a.html", "https://a.example/page.php?id=1",
                "https://a.example/page.html", "https://a.example/end.php", "https://a.example/end.html",
                "https://a.example/false.html", "https://intranet/x.txt",
            ])
    }

    /// A folder that is no mirror, and originals that cannot be kept.
    @Test func otherFolders() throws {
        try write(["src/main.c": "x", "readme.txt": "x"])
        #expect(archiveError { try run() }?.code == .notAnArchive)
    }

    /// Names that are not UTF-8.
    @Test func oddNames() throws {
        try write(["a.example/x": "x"])
        let name = mirror.string.utf8.map { CChar(bitPattern: $0) } + "/a.example/".utf8.map { CChar(bitPattern: $0) }
        let file = fopen(name + [CChar(bitPattern: 0xFF), 0x31, 0], "w")
        try #require(file != nil)
        fclose(file)
        try run()
        #expect(try bodies().keys.sorted() == ["https://a.example/%FF1", "https://a.example/x"])
    }

    private static let hasWget = (try? ExternalTool.run(["wget", "--version"]))?.status == 0

    /// A folder that wget makes of a site, with converted links and without: each page is at its URL.
    @Test(
        .enabled(if: hasWget),
        arguments: [
            [], ["--adjust-extension", "--convert-links", "--backup-converted"], ["--restrict-file-names=windows"],
        ])
    func wget(_ options: [String]) throws {
        let pages = [
            "/":
                #"<html><a href="d/">d</a> <a href="p?id=1&x=%2F">p</a> <a href="sp%20ace.html">s</a> <a href="a.css">c</a></html>"#,
            "/d/": #"<html><a href="e.html">e</a></html>"#, "/d/e.html": "<html>e</html>",
            "/p?id=1&x=%2F": "<html>p</html>",
            "/sp%20ace.html": "<html>s</html>", "/a.css": "p{}",
        ]
        let server = try HTTPTestServer()
        server.onOther { request in
            guard let page = pages[request.target] else { return .status(404) }
            return .text(page, type: page.hasPrefix("<") ? "text/html" : "text/css")
        }
        let origin = "http://127.0.0.1:\(server.port)"
        let result = try ExternalTool.run(
            ["wget", "-q", "--no-proxy", "--mirror", "-P", mirror.string] + options + ["\(origin)/"])
        #expect(result.errorText.isEmpty)
        try run(scheme: "http")
        let found = try bodies()
        for (target, page) in pages { #expect(found[origin + target] == page, "\(target)") }
    }

    /// The author of a page cannot give it the place of another one, with HTTrack or without.
    @Test(arguments: [false, true]) func notesOfAuthors(isOfHTTrack: Bool) throws {
        func note(_ url: String, _ text: String) -> String {
            "<!-- Mirrored from shared.test\(url) by HTTrack -->\(text)"
        }
        if isOfHTTrack { try write(["hts-cache/doit.log": ""]) }
        try write([
            "shared.test/a/evil.html": note("/", "evil"), "shared.test/a/evil2.html": note("/a/login.php", "evil"),
            "shared.test/index.html": "home", "shared.test/a/login.html": note("/a/login.php?x=1", "in"),
        ])
        try run()
        let bodies = try bodies()
        #expect(bodies["https://shared.test/"] == "home" && bodies["https://shared.test/a/login.php"] == nil)
        #expect((bodies["https://shared.test/a/login.php?x=1"] != nil) == isOfHTTrack)
        #expect(bodies["https://shared.test/a/evil.html"]?.hasSuffix("evil") == true)
        #expect(bodies["https://shared.test/a/login.html"]?.hasSuffix("in") == true)
    }
}
