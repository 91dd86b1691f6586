// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive

@testable import WebArchivePacking

@Suite struct URLFileNameTests {
    private let long = String(repeating: "x", count: 255)

    /// Each URL's path and query with its file path, in both directions.
    private func check(_ pairs: [(String, [String])], site: String = "https://h", names: URLFileName) throws {
        for (path, components) in pairs {
            let url = try CanonicalURL(site + path)
            #expect(url.description == site + path, "the example is canonical")
            let filePath = components.map { Array($0.utf8) }
            #expect(names.filePath(of: url) == filePath, "\(path): \(shown(names.filePath(of: url)))")
            #expect(try names.url(of: filePath, at: url) == url, "\(path)")
        }
    }

    @Test func plainNames() throws {
        try check(
            [
                ("/", ["index.html"]), ("/a", ["a"]), ("/a/", ["a", "index.html"]),
                ("/index.html/b", ["index.html", "b"]),
                ("/a%20b/%C3%A9.txt", ["a b", "é.txt"]), ("/100%25", ["100%"]), ("/%3Fx", ["?x"]), ("/%23x", ["#x"]),
                ("/%253F", ["%3F"]), ("/a+b:c@d", ["a+b:c@d"]), ("/%5Ba%5D", ["[a]"]), ("/%0A%7F", ["\n\u{7F}"]),
                ("/%5C..%5Cx", ["\\..\\x"]), ("/CON", ["CON"]), ("/a.", ["a."]), ("/...", ["..."]), ("/.a", [".a"]),
                ("/\(long)", [long]), ("/%25webarc%25", ["%webarc%"]), ("/%25webarc%25a", ["%webarc%a"]),
                ("/webarc%25x%2F".replacing("%2F", with: "f"), ["webarc%xf"]),
            ], names: URLFileName())
    }

    @Test func escapedNames() throws {
        try check(
            [
                ("/a?", ["%webarc%a?"]), ("/a?b=c", ["%webarc%a?b=c"]), ("/?u=/x?y", ["%webarc%?u=^2Fx?y"]),
                ("//", ["%webarc%", "index.html"]), ("//a", ["%webarc%", "a"]),
                ("/a//", ["a", "%webarc%", "index.html"]),
                ("/%2F", ["%webarc%%2F"]), ("/a%2F../b", ["%webarc%a%2F..", "b"]), ("/%00", ["%webarc%%00"]),
                ("/a%2Bb", ["%webarc%a%2Bb"]), ("/index.html", ["%webarc%index.html"]),
                ("/a/index.html", ["a", "%webarc%index.html"]), ("/a/?", ["a", "%webarc%?"]),
                ("/\(long)x", ["%webarc%\(long.prefix(246))^", "%webarc+xxxxxxxxxx"]),
            ], names: URLFileName())
    }

    /// A tree's own names that an escape could have given.
    @Test func namesLikeEscapes() throws {
        try check(
            [
                ("/%25webarc%25a%3F", ["%webarc%%webarc%a?"]), ("/%25webarc%25/a", ["%webarc%%webarc%", "a"]),
                ("/%25webarc%25%25webarc%25a%3F", ["%webarc%%webarc%%webarc%a?"]),
                ("/%25webarc%25%252F/", ["%webarc%%webarc%%2F", "index.html"]),
                ("/a/%25webarc%25index.html", ["a", "%webarc%%webarc%index.html"]),
                // Not an escape of anything: "b" needs none, "^2f" is not how "/" is written, a space is not URL text.
                ("/%25webarc%25b", ["%webarc%b"]), ("/%25webarc%25%3F%5E2f", ["%webarc%?^2f"]),
                ("/%25webarc%25%20%3F", ["%webarc% ?"]), ("/%25webarc%25a%3F/b", ["%webarc%a?", "b"]),
                ("/%25webarc%25..", ["%webarc%.."]), ("/%25webarc+a", ["%webarc+a"]),
            ], names: URLFileName())
    }

    @Test func otherSites() throws {
        try check(
            [("", ["%webarc%."]), ("?q", ["%webarc%.?q"]), ("/", ["index.html"])], site: "foo://h", names: URLFileName()
        )
        try check(
            [
                ("", ["index.html"]), ("a", ["a"]), ("a/b", ["a", "b"]), ("/", ["%webarc%^2F"]),
                ("/a/", ["%webarc%^2Fa", "index.html"]),
                ("a/../b", ["a", "%webarc%..", "b"]), ("/.//b", ["%webarc%^2F.", "%webarc%", "b"]),
                ("?", ["%webarc%?"]),
                ("%25webarc%25/a", ["%webarc%", "a"]), ("a:b", ["a:b"]),
            ], site: "urn:", names: URLFileName())
    }

    @Test func otherIndexName() throws {
        let names = try URLFileName(indexName: Array("%20".utf8))
        try check([("/", ["%20"]), ("/%2520", ["%webarc%%2520"]), ("/index.html", ["index.html"])], names: names)
        #expect(names.indexName == Array("%20".utf8))
        for name in ["", ".", "..", "a/b", "a\0", "%webarc%x", "%webarc+", String(repeating: "a", count: 256)] {
            #expect(throws: InvalidFileName.illegalIndexName) { try URLFileName(indexName: Array(name.utf8)) }
        }
    }

    @Test func fileBesideDirectory() throws {
        let names = try URLFileName()
        let directories = Set(
            [["a"], ["b", "index.html"], ["%webarc%%2B"], ["%webarc%c?d"]].map { $0.map { Array($0.utf8) } })
        for (path, components) in [
            ("/a", ["%webarc%a^-"]), ("/b/", ["b", "%webarc%^-"]), ("/%2B", ["%webarc%%2B^-"]),
            ("/c?d", ["%webarc%c?d^-"]), ("/c", ["c"]),
            ("/a/a", ["a", "a"]), ("/%2B/a", ["%webarc%%2B", "a"]), ("/%25webarc%25a%5E-", ["%webarc%%webarc%a^-"]),
            ("/%25webarc%25c%5E-", ["%webarc%c^-"]), ("/%25webarc%25a%5E-/x", ["%webarc%a^-", "x"]),
        ] {
            let url = try CanonicalURL("https://h" + path)
            let filePath = names.filePath(of: url, isDirectory: directories.contains)
            #expect(filePath == components.map { Array($0.utf8) }, "\(path): \(shown(filePath))")
            #expect(try names.url(of: filePath, at: url, isDirectory: directories.contains) == url)
        }
    }

    @Test func illegalFilePaths() throws {
        let site = try CanonicalURL("https://h")
        let names = try URLFileName()
        #expect(throws: InvalidFileName.emptyPath) { try names.url(of: [], at: site) }
        for name in ["", ".", "..", "a/b", "a\0b"] {
            #expect(throws: InvalidFileName.illegalComponent) {
                try names.url(of: [[0x61], Array(name.utf8)], at: site)
            }
        }
        let tooLong = Array(repeating: UInt8(0x61), count: 256)
        #expect(throws: InvalidFileName.tooLong) { try names.url(of: [tooLong], at: site) }
        let deep = Array(repeating: Array(repeating: UInt8(0xFF), count: 255), count: 100)
        #expect(throws: InvalidFileName.url(.tooLong)) { try names.url(of: deep, at: site) }
    }

    /// The result stays below the directory it is used in for every input.
    @Test(arguments: [
        "/..", "/../../etc/passwd", "/%2e%2e/%2e%2e/x", "/%2E%2E%2F%2E%2E%2Fx", "/..%2f..%2fx", "/..\\..\\x",
        "/%5c..%5c", "//etc/passwd",
        "/%2Fetc%2Fpasswd", "/%00", "/a%00/../b", "/%252e%252e/x", "/.%2e/x", "/?/../../x", "/a?../..", "/./.", "/%2e",
        "/C:/x", "/C:\\x",
        "/.%00.", "/..%00/x", "/%25webarc%25../x", "/%25webarc%25/../x", "/..;/x", "/%c0%ae%c0%ae/x", "///..//..", "",
    ])
    func hostilePaths(path: String) throws {
        for site in FileNameTestRandom.sites {
            let padding = site == "urn:" ? "" : String(repeating: "/..", count: 3)
            for text in [site + path, site + padding + path, site + path + path] {
                let url = try CanonicalURL(text)
                let names = try URLFileName()
                let filePath = names.filePath(of: url)
                #expect(isSafe(filePath), "\(text) \(shown(filePath))")
                #expect(try names.url(of: filePath, at: url) == url)
            }
        }
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "/", "a", "/a", "%2F", "/%2F..", "%25webarc%25", "/%25webarc%25", "%25webarc+", "?", "%25",
            "/%25webarc%25%3F",
            "/%25webarc%25" + String(repeating: "x", count: 246) + "%5E",
            "/%25webarc+" + String(repeating: "x", count: 246) + "%5E",
        ])
    func longURLs(piece: String) throws {
        let names = try URLFileName()
        for site in ["https://h/", "urn:x"] {
            let url = try CanonicalURL(site + String(repeating: piece, count: 30_000 / piece.utf8.count))
            let filePath = names.filePath(of: url) { _ in true }
            #expect(isSafe(filePath))
            #expect(try names.url(of: filePath, at: url) { _ in true } == url)
            let plain = names.filePath(of: url)
            #expect(isSafe(plain))
            #expect(try names.url(of: plain, at: url) == url)
        }
    }
}
