// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchive

@Suite struct ArchiveResponseTests {
    /// RFC 9110 section 8.3: types and parameters without regard to case, optional spaces around the semicolons.
    @Test(
        arguments: [
            ("text/html", "text/html", nil), ("Text/HTML; Charset=UTF-8", "text/html", "utf-8"),
            ("text/html;charset=\"utf-8\"", "text/html", "utf-8"),
            ("text/html ;\t charset=iso-8859-1 ", "text/html", "iso-8859-1"),
            ("text/plain; format=flowed; charset=a; charset=b", "text/plain", "a"), ("image/png;", "image/png", nil),
            ("; charset=x", nil, "x"), ("", nil, nil), ("text/html; charset", "text/html", nil),
            ("text/html; xcharset=a", "text/html", nil),
        ] as [(String, String?, String?)])
    func contentType(value: String, mediaType: String?, charset: String?) {
        let response = ArchiveResponse(headers: ["content-TYPE": value])
        #expect(response.mediaType == mediaType)
        #expect(response.charset == charset)
    }

    @Test func whatIsGivenComesFirst() {
        let response = ArchiveResponse(headers: ["Content-Type": "a/b; charset=c"], mediaType: "d/e", charset: "f")
        #expect(response.mediaType == "d/e" && response.charset == "f")
        #expect(ArchiveResponse().mediaType == nil && ArchiveResponse().charset == nil)
        #expect(!ArchiveResponse(status: 301).isRedirect)
        #expect(ArchiveResponse(redirectTarget: "").isRedirect)
    }

    @Test func headersForTheStoredBody() {
        let headers: HeaderFields = [
            "content-encoding": "gzip", "A": "b", "Content-Length": "9", "transfer-Encoding": "chunked",
            "content-length": "8",
        ]
        let removed = ArchiveResponse(headers: headers, codings: ["gzip", "chunked"]).headers(forBodyOfLength: 20)
        #expect(removed == ["A": "b", "Content-Length": "20"])
        // A body that still has its coding keeps the field.
        let kept = ArchiveResponse(headers: headers).headers(forBodyOfLength: 20)
        #expect(kept == ["content-encoding": "gzip", "A": "b", "transfer-Encoding": "chunked", "Content-Length": "20"])
        #expect(ArchiveResponse(headers: headers).headers == headers)
    }
}
