// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive
import WebArchiveReplay

@testable import WebArchiveServer

@Suite struct SelfContainedPageTests {
    private static let url = "https://site.example/page.html"

    private func page(_ html: String, _ sheets: [String: String] = [:], at url: String = Self.url) throws -> String {
        let sample = try ReplaySample { writer in
            for (name, text) in sheets.sorted(by: { $0.key < $1.key }) {
                try ReplaySample.add("https://site.example/\(name)", "text/css", Array(text.utf8), writer)
            }
            try ReplaySample.add("https://site.example/dot.gif", "image/gif", [1, 2, 3], writer)
        }
        var page = SelfContainedPage(Array(html.utf8), at: try CanonicalURL(url), from: try sample.responder())
        return String(decoding: page.bytes(), as: UTF8.self)
    }

    /// Text of one sheet and of the next make no end tag together.
    @Test(arguments: ["@import \"a.css\";/style><h1>out", "@import \"a.css\";@import \"b.css\";"])
    func piecesOfSheetsMakeNoEndTag(_ style: String) throws {
        let shown = try page("<style>\(style)</style>", ["a.css": "a<", "b.css": "/style><h1>out"])
        #expect(shown.contains("a<\\/style>"))
        #expect(!shown.dropFirst("<style>".count).dropLast("</style>".count).contains("</"))
    }

    /// Each address is resolved against the base, so that a long one costs a page of many links minutes.
    @Test func aLongBaseIsNone() throws {
        let base = "<base href=\"https://other.example/" + String(repeating: "x", count: 3000) + "/\">"
        #expect(try page(base + "<img src=dot.gif>").hasSuffix("<img src=data:image/gif;base64,AQID>"))
        #expect(try page("<base href=\"https://other.example/\"><img src=dot.gif>").hasSuffix("<img src=dot.gif>"))
    }

    @Test(arguments: ["<style>@import \"/a.css\";</style>", "<link rel=stylesheet href=/a.css>", "<img src=/dot.gif>"])
    func nothingIsResolvedAgainstALongURL(_ html: String) throws {
        func isShown(_ length: Int) throws -> Bool {
            let path = String(repeating: "x", count: length)
            let shown = try page(html, ["a.css": "p{}"], at: "https://site.example/\(path)/page.html")
            return shown.contains("p{}") || shown.contains("AQID")
        }
        #expect(try isShown(1000))
        #expect(try !isShown(3000))
    }

    /// A sheet that imports a sheet that is not there costs as much as one that is.
    @Test(arguments: [(200, true), (300, false)]) func fewSheetsAreImported(_ count: Int, _ isShown: Bool) throws {
        let missing = String(repeating: "@import \"https://[/none.css\";", count: count)
        let shown = try page("<style>\(missing)@import \"a.css\";</style>", ["a.css": "p{}"])
        #expect(shown.contains("p{}") == isShown)
    }

    @Test func fewAddressesAreResolved() throws {
        let many = try page(String(repeating: "<img src=none.gif>", count: 3000) + "<img src=dot.gif>")
        #expect(many.hasSuffix("<img src=dot.gif>"))
    }
}
