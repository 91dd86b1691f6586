// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

@Suite struct HARImportTests {
    private let imported = HARFile()

    /// An entry as Chromium writes it: HTTP/2 with pseudo-header fields, joined fields, a page with its URL as title.
    @Test func chromium() throws {
        let text = #"""
            {
              "log": {
                "version": "1.2",
                "creator": { "name": "WebInspector", "version": "537.36" },
                "pages": [ { "startedDateTime": "2023-03-30T00:00:54.241Z", "id": "page_1",
                  "title": "https://a.example/", "pageTimings": { "onContentLoad": 297.4, "onLoad": null } } ],
                "entries": [
                  { "_connectionId": "12", "_initiator": { "type": "script", "stack": { "callFrames": [ [], [ {} ] ] } },
                    "_priority": "VeryHigh", "cache": {}, "connection": "443", "pageref": "page_1",
                    "request": { "method": "GET", "url": "https://a.example/#top", "httpVersion": "http/2.0",
                      "headers": [ { "name": ":authority", "value": "a.example" }, { "name": "accept", "value": "*/*" } ],
                      "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0 },
                    "response": { "status": 200, "statusText": "", "httpVersion": "http/2.0",
                      "headers": [ { "name": "content-type", "value": "text/html" },
                                   { "name": "set-cookie", "value": "a=1; Path=/\nb=2" } ],
                      "cookies": [], "content": { "size": 4, "mimeType": "text/html", "text": "PGI+Cg==", "encoding": "base64" },
                      "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 5509, "_error": null },
                    "serverIPAddress": "[2001:db8::1]", "startedDateTime": "2023-03-30T00:00:54.250Z", "time": 1.2,
                    "timings": { "blocked": 1, "dns": -1, "send": 0, "wait": 1, "receive": 1, "ssl": -1 } } ] } }
            """#
        let summary = try imported(text)
        #expect(summary.responses == 1 && summary.pages == 1 && summary.damage.isEmpty)
        let archive = try ArchiveReader(path: imported.path)
        let entry = try #require(try archive.entries().first)
        let (request, response) = (try entry.request, try #require(try entry.response))
        #expect(try entry.key == "https://a.example/" && request.url == "https://a.example/#top")
        #expect(request.headers == ["accept": "*/*"] && request.version == "HTTP/2")
        #expect(response.headers.values(named: "Set-Cookie") == ["a=1; Path=/", "b=2"])
        #expect(response.version == "HTTP/2" && response.address == "2001:db8::1")
        #expect(try imported.body("https://a.example/") == "<b>\n")
        #expect(try entry.time == ArchiveTime(seconds: 1_680_134_454, nanoseconds: 250_000_000))
        let page = try archive.page(0).page
        #expect(page.url == "https://a.example/" && page.title == nil && page.status == 200)
        #expect(page.time == ArchiveTime(seconds: 1_680_134_454, nanoseconds: 241_000_000))
        #expect(ArchiveVerifier(archive).run().isEmpty)
    }

    /// A page as Firefox writes it: a title, of which the first entries tell the URL, and entries from its cache without fields or content.
    @Test func firefox() throws {
        let summary = try imported(
            HARFile.text(
                [
                    HARFile.entry(
                        "http://a/", status: 301, headers: [("Location", "https://a/")], content: #""size": 0"#,
                        other: #""pageref": "p1","#),
                    HARFile.entry(
                        "https://a/", headers: [("Content-Type", "text/html")], content: #""size": 1, "text": "x""#,
                        other: #""pageref": "p1","#),
                    HARFile.entry(
                        "https://a/b.png",
                        content: #""mimeType": "image/png", "comment": "Response bodies are not included.""#,
                        response: #""_x": 1,"#, other: #""pageref": "p1","#),
                    HARFile.entry("https://a/c.css", content: #""mimeType": "text/css", "size": 0, "text": "p{}""#),
                ],
                pages: #"[{"id": "p1", "title": "A page", "startedDateTime": "2023-03-29T16:58:59.303-07:00"}]"#))
        #expect(summary.missingBodies == 1 && summary.responses == 4)
        let page = try ArchiveReader(path: imported.path).page(0).page
        #expect(page.url == "https://a/" && page.title == "A page" && page.status == 200)
        #expect(page.time == ArchiveTime(seconds: 1_680_134_339, nanoseconds: 303_000_000))
        let absent = try #require(try imported.entry("https://a/b.png"))
        #expect(try absent.role == .withoutBody && absent.response?.absentDigest == "" && absent.body == nil)
        let cached = try #require(try imported.entry("https://a/c.css")?.response)
        #expect(cached.headers["Content-Type"] == "text/css" && cached.isDerived)
        #expect(try imported.entry("http://a/")?.redirectTarget == "https://a/")
    }

    /// Times as programs write them.
    @Test(
        arguments: [
            ("2020-01-01T00:00:00Z", 1_577_836_800, 0), ("2020-01-01T01:00:00.5+01:00", 1_577_836_800, 500_000_000),
            ("2019-12-31T17:00:00.000-0700", 1_577_836_800, 0),
            ("2023-12-12T16:23:16.067544+00:00", 1_702_398_196, 67_544_000),
            ("2020-01-01T00:00:00.25", 1_577_836_800, 250_000_000),
        ] as [(String, Int64, Int64)]) func times(_ text: String, _ seconds: Int64, _ nanoseconds: Int64) throws
    {
        let entry = HARFile.entry("http://a/").replacingOccurrences(of: "2020-01-01T00:00:00.000Z", with: text)
        try imported(HARFile.text([entry]))
        #expect(try imported.entry("http://a/")?.time == ArchiveTime(seconds: seconds, nanoseconds: nanoseconds))
    }

    @Test(
        arguments: [
            ("HTTP/1.1", "HTTP/1.1"), ("http/1.0", "HTTP/1.0"), ("h2", "HTTP/2"), ("http/2.0", "HTTP/2"),
            ("HTTP/2", "HTTP/2"),
            ("h3-29", "HTTP/3"), ("", nil), ("unknown", nil), ("HTTP/1.1 200 OK", nil),
        ] as [(String, String?)]) func versions(_ text: String, _ version: String?) throws
    {
        let entry = HARFile.entry("http://a/").replacingOccurrences(of: "http/2.0", with: text)
        try imported(HARFile.text([entry]))
        #expect(try imported.entry("http://a/")?.response?.version == version)
    }

    /// Codings that the fields claim are gone from the content, or are removed where a program left them.
    @Test func codings() throws {
        let gzipped = try ExternalTool.run(["gzip", "-nc"], input: Data("hello".utf8)).output.base64EncodedString()
        let headers = [("Content-Encoding", "gzip"), ("Content-Type", "text/plain"), ("Transfer-Encoding", "chunked")]
        try imported(
            HARFile.text([
                HARFile.entry("http://a/decoded", headers: headers, content: #""size": 5, "text": "hello""#),
                HARFile.entry(
                    "http://a/coded", headers: headers,
                    content: #""size": 5, "encoding": "base64", "text": "\#(gzipped)""#),
                HARFile.entry(
                    "http://a/file.gz", headers: [("Content-Encoding", "gzip"), ("Content-Type", "application/gzip")],
                    content: #""size": 5, "encoding": "base64", "text": "\#(gzipped)""#),
            ]))
        for name in ["decoded", "coded"] {
            let response = try #require(try imported.entry("http://a/\(name)")?.response)
            #expect(response.codings == ["gzip", "chunked"] && response.headers["Content-Encoding"] == "gzip")
            #expect(response.headers(forBodyOfLength: 5) == ["Content-Type": "text/plain", "Content-Length": "5"])
            #expect(try imported.body("http://a/\(name)") == "hello")
        }
        #expect(try imported.entry("http://a/file.gz")?.body?.bytes().first == 0x1F)
    }

    /// Text is UTF-8 in the archive, and its field says so; the head as it was received is kept.
    @Test func charset() throws {
        let latin = [("X", "1"), ("Content-Type", "text/html; charset=ISO-8859-1")]
        try imported(
            HARFile.text([
                HARFile.entry("http://a/latin", headers: latin, content: #""size": 4, "text": "<p>\u00e9""#),
                HARFile.entry("http://a/ascii", headers: latin, content: #""size": 4, "text": "<p>e""#),
                HARFile.entry(
                    "http://a/json", headers: [("Content-Type", "application/json")], content: #""text": "\"\u00e9\"""#),
            ]))
        let entry = try #require(try imported.entry("http://a/latin"))
        #expect(try entry.response?.headers == ["X": "1", "Content-Type": "text/html; charset=utf-8"])
        #expect(try entry.body?.bytes() == Array("<p>é".utf8) && entry.response?.charset == "utf-8")
        #expect(
            try entry.responseHead?.bytes()
                == Array("HTTP/2 200 \r\nX: 1\r\nContent-Type: text/html; charset=ISO-8859-1\r\n\r\n".utf8))
        let ascii = try #require(try imported.entry("http://a/ascii"))
        #expect(try ascii.response?.charset == "iso-8859-1" && ascii.responseHead == nil)
        #expect(try imported.entry("http://a/json")?.response?.headers == ["Content-Type": "application/json"])
    }

    /// A confirmed response with content is the response; without it, it is kept and never served.
    @Test func notModified() throws {
        try imported(
            HARFile.text([
                HARFile.entry(
                    "http://a/with", status: 304, headers: [("etag", "1")],
                    content: #""size": 3, "mimeType": "text/css", "text": "p{}""#),
                HARFile.entry("http://a/without", status: 304, content: #""size": 0"#),
            ]))
        let entry = try #require(try imported.entry("http://a/with"))
        #expect(try entry.response?.status == 200 && entry.response?.mediaType == "text/css")
        #expect(try entry.response?.headers == ["etag": "1", "Content-Type": "text/css"])
        #expect(try entry.responseHead?.bytes().starts(with: "HTTP/2 304 ".utf8) == true)
        #expect(try imported.entry("http://a/without")?.role == .withoutBody)
        #expect(try imported.body("http://a/without") == nil)
    }

    /// Content that is empty, and content that the file lacks.
    @Test(arguments: [
        ("GET", 200, #""size": 0, "text": """#, false), ("GET", 200, #""size": 0"#, false),
        ("GET", 200, #""size": 7"#, true), ("GET", 200, #""size": 7, "text": """#, true), ("GET", 200, "", true),
        ("GET", 200, #""size": -1"#, true), ("HEAD", 200, #""size": 7"#, false), ("GET", 204, "", false),
        ("GET", 404, #""size": 1152921504606846976"#, true),
    ]) func missingContent(_ method: String, _ status: Int, _ content: String, _ isMissing: Bool) throws {
        let summary = try imported(
            HARFile.text([HARFile.entry("http://a/", method: method, status: status, content: content)]))
        let entry = try #require(try imported.entry("http://a/"))
        #expect(try (entry.body == nil) == isMissing && (entry.role == .withoutBody) == isMissing)
        #expect(summary.missingBodies == (isMissing ? 1 : 0))
    }

    @Test func failedLoads() throws {
        let summary = try imported(
            HARFile.text([
                HARFile.entry("http://a/1", status: 0, response: #""_error": "net::ERR_NAME_NOT_RESOLVED","#),
                HARFile.entry("http://a/2", status: 0, content: ""),
                HARFile.entry("data:text/css,p{}", content: #""text": "p{}""#),
            ]))
        #expect(summary.failedLoads == 2 && summary.responses == 0 && summary.damage.isEmpty)
        let archive = try ArchiveReader(path: imported.path)
        #expect(try archive.entries().map { try $0.failure } == ["net::ERR_NAME_NOT_RESOLVED", "no response"])
        #expect(ArchiveVerifier(archive).run().isEmpty)
    }

    @Test(
        arguments: [
            (#""mimeType": "text/plain", "text": "a\u0000\ud83d\ude00""#, "a\u{0}😀"),
            (
                #""mimeType": "application/x-www-form-urlencoded", "params": [{"name": "a b", "value": "é&"}, {"name": "c"}]"#,
                "a+b=%C3%A9%26&c="
            ),
            (#""mimeType": "image/png", "text": "aGk=", "encoding": "base64""#, "hi"),
            (#""mimeType": "multipart/form-data", "params": [{"name": "a", "fileName": "f"}]"#, nil),
        ] as [(String, String?)]) func requestBodies(_ data: String, _ body: String?) throws
    {
        try imported(
            HARFile.text([HARFile.entry("http://a/", method: "POST", request: #""postData": {\#(data)},"#)]))
        let entry = try #require(try imported.entry("http://a/"))
        #expect(try entry.requestBody.map { String(decoding: try $0.bytes(), as: UTF8.self) } == body)
        #expect(try entry.method == "POST")
    }

    /// The messages of a WebSocket are lines of JSON.
    @Test func webSocket() throws {
        try imported(
            HARFile.text([
                HARFile.entry(
                    "wss://a/chat", status: 101, content: #""size": 0"#,
                    other:
                        #""_webSocketMessages": [{"type": "send", "time": 1.5, "opcode": 1, "data": "hi\n"}, {"type": "receive"}],"#
                )
            ]))
        let lines = try #require(try imported.entry("wss://a/chat")?.body?.bytes()).split(separator: 0x0A)
        let first = try #require(try JSONSerialization.jsonObject(with: Data(lines[0])) as? [String: Any])
        #expect(lines.count == 2 && first["data"] as? String == "hi\n" && first["opcode"] as? Int == 1)
    }

    @Test(arguments: [
        ("\u{FEFF}\r\n \t", true, ""), ("", true, ""), ("", true, #""comment": "x", "#), ("", false, #""log": 1, "#),
    ]) func recognition(_ before: String, _ isHAR: Bool, _ member: String) throws {
        let log = isHAR ? #""log": {"version": "1.2", "entries": []}"# : #""x": {"log": {"level": "info"}}"#
        let error = archiveError { try imported("\(before){\(member)\(log)}") }
        #expect(error?.code == (isHAR ? nil : .notAnArchive))
    }

    /// Originals cannot be kept, for nothing but WARC files can be written again.
    @Test func exact() {
        var options = ArchiveImporter.Options()
        options.keepsOriginals = true
        #expect(archiveError { try imported(HARFile.text([]), options: options) }?.code == .invalidArgument)
    }

    /// The size is that of UTF-16 on its way, and the text has half as many bytes; without a charset only the text itself can tell.
    @Test(arguments: [
        ("text/html; charset=utf-16", 26, nil), ("text/html", 26, nil), ("text/html", 27, "length"),
        ("text/html; charset=iso-8859-1", 26, "length"), ("text/html; charset=utf-8", 15, nil),
        ("text/html; charset=utf-8", 16, "length"),
    ])
    func lengthsOfText(_ type: String, _ size: Int, _ truncation: String?) throws {
        let content = #""size": \#(size), "mimeType": "\#(type)", "text": "<p>plain</p>""#
        try imported(HARFile.text([HARFile.entry("https://a/", headers: [("Content-Type", type)], content: content)]))
        #expect(try imported.entry("https://a/")?.response?.truncation == truncation)
    }
}
