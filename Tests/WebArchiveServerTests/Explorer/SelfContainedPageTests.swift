// SPDX-License-Identifier: Apache-2.0

import Foundation
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

    /// Start tags that lead to connections, where a browser finds them and where it may. `@` stands for one.
    @Test(arguments: [
        "<head>@<body>", "<body><p>x@", "<div><template shadowrootmode=open>@</template></div>",
        "<noscript>@</noscript>",
        "<svg><style><p>@</style></svg>", "<svg><title>@</title></svg>",
        "<script><!--<script></script><!--</script>@-->",
        "<svg><![CDATA[ > <!-- ]]><p>@-->", "<frameset><style>@</style></frameset>",
        "<select><iframe></select>@</iframe>",
        "<textarea>@</textarea>", "<!--@-->", "<p title='@'>", "<plaintext>@", "<li@nk>", "<lin<p>k>@",
    ])
    func noTagThatConnectsIsLeft(_ place: String) throws {
        for tag in [
            "<link rel=preconnect href=//a>", "<LINK\trel=stylesheet href=//none>", "<li\0nk/rel=preconnect>",
            "<iframe src=//a>", "<iFrame srcdoc='<link rel=preconnect href=//a>'>", "<frame\nsrc=//a>",
            "<object data=//a>",
            "<embed src=//a>", "<portal src=//a>", "<fencedframe src=//a>", "<applet code=//a>",
            "<link rel=stylesheet href=/tags.css>", "<link rel=stylesheet href=/a.css media='&lt;link>&#60;link>'>",
        ] {
            let shown = try page(
                place.replacing("@", with: tag), ["tags.css": "p{}<p><link rel=preconnect href=//a>", "a.css": "b{}"])
            let left = shown.asciiLowercased.replacing("\0", with: "")
                .firstMatch(of: #/<(link|i?frame|object|embed|portal|fencedframe|applet)(?![a-z])/#)
            #expect(left == nil, "\(shown)")
        }
    }

    /// The rest of a page stays as it is.
    @Test(arguments: [
        "<title>How to <linking> use &lt;link></title><frameset><linked><embedded>",
        "<svg><linearGradient id=a /></svg><p title='<iframes>'>a < b <",
        "<meta charset=utf-8><meta name=viewport content=x>",
        "<meta http-equiv=Content-Type content='text/html; charset=shift_jis'>",
    ])
    func otherMarkupIsLeft(_ html: String) throws { #expect(try page(html) == html) }

    @Test func aTitleKeepsItsText() throws {
        #expect(
            try page("<title>Of <link> and <iframe src=x></title><p>")
                == "<title>Of &lt;link> and &lt;iframe src=x></title><p>")
    }

    /// Encodings in which the bytes of a tag are others, or those of text are a tag's.
    @Test(
        arguments: [
            ([0xFF, 0xFE], "utf-16-le", true), ([], "utf-16-le", true), ([0xFE, 0xFF], "utf-16-be", true),
            ([], "utf-16-be", true),
            ([], "iso-2022-jp", true), ([], "utf-8", false), ([], "shift_jis", false),
        ] as [([UInt8], String, Bool)])
    func encodingsInWhichTagsHide(mark: [UInt8], encoding: String, becomesUTF8: Bool) throws {
        let text = "<p>\u{65E5}\u{672C}</p><link rel=preconnect href=//a>\u{8A9E}"
        let encode =
            "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read().decode('utf-8').encode('\(encoding)'))"
        let input = Data(text.utf8)
        let encoded = Array(try ExternalTool.run(["python3", "-c", encode], input: input).output)
        try #require(!encoded.isEmpty)
        var page = SelfContainedPage(
            mark + encoded, at: try CanonicalURL(Self.url), from: try ReplaySample().responder())
        let shown = page.bytes()
        if becomesUTF8 {
            #expect(shown == [0xEF, 0xBB, 0xBF] + "<p>\u{65E5}\u{672C}</p>\u{8A9E}".utf8)
        } else {
            let decode =
                "import sys; sys.stdout.write(repr(sys.stdin.buffer.read().decode('\(encoding)') == "
                + "'<p>\\u65e5\\u672c</p>\\u8a9e'))"
            #expect(try ExternalTool.run(["python3", "-c", decode], input: Data(shown)).text == "True")
        }
    }

    /// Text that is put into a page leads to no other encoding either.
    @Test func sheetsHaveNoEscapes() throws {
        let shown = try page("<link rel=stylesheet href=a.css media='&#27;$B'>", ["a.css": "p{content:'\u{1B}$B\0'}"])
        #expect(shown == "<style media=\"$B\">p{content:'$B'}</style>")
    }
}
