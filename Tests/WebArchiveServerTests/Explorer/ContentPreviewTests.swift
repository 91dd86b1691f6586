// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestSupport
import Testing
import WebArchive
import WebArchiveReplay

@testable import WebArchiveServer

@Suite struct ContentPreviewTests {
    /// Stored media type and charset, what is sent, and whether a browser that goes there saves it.
    @Test(
        arguments: [
            ("text/html", "utf-8", "text/plain; charset=utf-8", false), ("image/svg+xml", nil, "image/svg+xml", true),
            ("image/png", nil, "image/png", false), ("video/x+xml", nil, "video/x+xml", true),
            ("audio/xml", nil, "audio/xml", true),
            ("text/xml", "utf-8", "text/plain; charset=utf-8", false), ("text/css", nil, "text/plain", false),
            ("application/json", nil, "text/plain; charset=utf-8", false), ("video/webm", nil, "video/webm", false),
            ("application/xhtml+xml", nil, "text/plain; charset=utf-8", false), ("font/woff2", nil, "font/woff2", true),
            ("application/pdf", nil, "application/octet-stream", true), (nil, nil, "application/octet-stream", true),
            ("text/html\r\nx: y", nil, "application/octet-stream", true), ("text/html", "a\r\nb", "text/plain", false),
            ("multipart/related", nil, "application/octet-stream", true),
            ("text", nil, "application/octet-stream", true),
        ] as [(String?, String?, String, Bool)]) func typesThatAreSent(
            mediaType: String?, charset: String?, sent: String, isSaved: Bool
        ) throws
    {
        let sample = try ReplaySample { writer in
            var response = ArchiveResponse()
            (response.mediaType, response.charset) = (mediaType, charset)
            try writer.add(
                ArchiveRequest(url: "https://site.example/it"), response: response,
                body: writer.addBody(Array("body".utf8))
            )
        }
        let response = try ExplorerClient(sample).get("/-/content?url=https://site.example/it")
        #expect(response.status == 200 && response.field(.contentType) == sent)
        #expect((response.field(.contentDisposition) != nil) == isSaved)
        #expect(try response.text == "body")
        let policy = (response.field(.contentSecurityPolicy) ?? "").split(separator: ";").map(
            \.trimmingOptionalWhitespace)
        #expect(policy.contains("sandbox") && policy.contains("default-src 'none'"))
        #expect(response.field(.xContentTypeOptions) == "nosniff")
    }

    /// The form of a page that is shown, and its text where it is too long for that.
    @Test func pagesAreShownInAForm() throws {
        let long =
            Array("<p>".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: Int(ContentPreview.maximumDocumentLength))
        let sample = try ReplaySample { writer in
            try ReplaySample.add(
                "https://site.example/short", "text/html", Array("<p>x<link rel=preconnect>".utf8), writer)
            try ReplaySample.add("https://site.example/long", "text/html", long, writer)
        }
        let client = try ExplorerClient(sample)
        let short = client.get("/-/preview?url=https://site.example/short")
        #expect(try short.field(.contentType) == "text/html" && short.text == "<p>x")
        #expect(short.field(try #require(HTTPField.Name("X-DNS-Prefetch-Control"))) == "off")
        #expect(client.get("/-/preview?url=https://site.example/long").field(.contentType) == "text/plain")
        #expect(try client.html("/-/entry?url=https://site.example/short").contains("/-/preview?"))
        #expect(try !client.html("/-/entry?url=https://site.example/long").contains("/-/preview?"))
    }

    @Test func longContentIsSentPieceByPiece() throws {
        let client = try ExplorerClient(ReplaySample())
        #expect(try client.get("/-/content?url=https://site.example/film.webm").content() == ReplaySample.film)
        let head = client.get("/-/content?url=https://site.example/film.webm", method: .head)
        #expect(head.field(.contentLength) == String(ReplaySample.film.count) && head.parts.isEmpty)
        let part = client.get("/-/content?url=https://site.example/film.webm", [.range: "bytes=300000-300009"])
        #expect(part.status == 206 && part.field(.contentRange) == "bytes 300000-300009/\(ReplaySample.film.count)")
        #expect(try part.content() == Array(ReplaySample.film[300_000..<300_010]))
        #expect(part.field(.contentSecurityPolicy)?.contains("sandbox") == true)
        let past = client.get("/-/content?url=https://site.example/film.webm", [.range: "bytes=700000-"])
        #expect(past.status == 416)
        #expect(client.get("/-/content?url=https://site.example/none").status == 404)
        #expect(client.get("/-/content?entry=7.7.7").status == 404)
    }
}
