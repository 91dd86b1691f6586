// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchivePacking

@Suite struct MainPageTests {
    let test = PackingTest()

    /// Packs files of these names, and gives the main page and the warnings about it.
    private func pack(
        _ names: [String], asking page: String? = nil, redirects: String? = nil
    ) throws -> (page: String?, warnings: [PackingWarning]) {
        for name in names { try test.write(name, "<p>\(name)") }
        if let redirects { try test.write("_redirects", redirects) }
        let summary = try test.pack { $0.metadata["mainPage"] = page }
        let codes: [PackingWarning.Code] = [.mainPageChosen, .noMainPage]
        return (try test.reader().metadata()["mainPage"], summary.warnings.filter { codes.contains($0.code) })
    }

    @Test(arguments: [
        (["a.html", "docs/b.html"], "a.html"), (["Index.html", "a.html"], "Index.html"),
        (["home.html", "a.html", "b.html"], "home.html"), (["docs/index.html", "docs/a.html"], "docs/"),
        (["z/deep/a.html", "img.png", "z/b.html"], "z/b.html"),
        (["readme.html", "default.htm", "x.html"], "default.htm"),
    ])
    func thePageThatStandsOutIsChosen(_ names: [String], _ page: String) throws {
        let result = try pack(names)
        #expect(result.page == "http://localhost/\(page)" && result.warnings.map(\.code) == [.mainPageChosen])
    }

    @Test(arguments: [
        ["a.html", "b.html"], ["en/index.html", "de/index.html"], ["x/a.html", "y/b.html", "z/w/index.html"],
    ])
    func pagesThatDoNotStandOutAreListed(_ names: [String]) throws {
        let result = try pack(names)
        #expect(result.page == nil && result.warnings.map(\.code) == [.noMainPage])
        for name in names.prefix(2) { #expect(result.warnings.first?.message.contains(name) == true) }
    }

    @Test(
        arguments: [
            (["index.html", "a.html", "b.html"], nil), (["index.htm"], nil), (["a.png", "b.css"], nil),
            (["a.html", "b.html"], "/ /b.html 302"), (["a.html", "b.html"], "/* /b.html 200"),
        ] as [([String], String?)])
    func nothingIsSaidWhereTheBaseURLIsAnswered(_ names: [String], _ redirects: String?) throws {
        let result = try pack(names, redirects: redirects)
        #expect(result.page == nil && result.warnings == [])
    }

    @Test(arguments: [
        ("docs/guide.html", "docs/guide.html"), ("/docs/guide", "docs/guide.html"), ("docs", "docs"),
        ("sub/a", "sub/a"),
        ("http://localhost/docs/guide.html#top", "docs/guide.html"),
    ])
    func aPageThatIsAskedForIsFound(_ asked: String, _ page: String) throws {
        let rules = "/docs /docs/guide.html 301\n/sub/* /docs/guide.html 200"
        let result = try pack(["index.html", "docs/guide.html"], asking: asked, redirects: rules)
        #expect(result.page == "http://localhost/\(page)" && result.warnings == [])
    }

    @Test(arguments: ["docs/giude.html", "https://elsewhere.example/", "docs/guide.htm"])
    func aPageThatIsNotPackedIsAnErrorThatNamesTheNearest(_ asked: String) throws {
        try test.write("index.html", "<p>")
        try test.write("docs/guide.html", "<p>")
        let error = try #require(test.packingError { $0.metadata["mainPage"] = asked })
        #expect(error.code == .invalidArgument && error.message.contains("/docs/guide.html"))
        #expect(!FileManager.default.fileExists(atPath: test.archive.string))
    }

    @Test func appendingFindsThePageInTheArchive() throws {
        _ = try pack(["index.html", "old.html"])
        try FileManager.default.removeItem(atPath: test.folder.path("site/old.html").string)
        try test.pack {
            $0.appends = true
            $0.metadata["mainPage"] = "old.html"
        }
        #expect(try test.reader().metadata()["mainPage"] == "http://localhost/old.html")
    }
}
