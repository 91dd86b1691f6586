// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchive

@Suite struct ContentTypeValueTests {
    private func failure(_ text: String) -> ContentTypeValue.Failure? {
        do throws(ContentTypeValue.Failure) {
            _ = try ContentTypeValue(parsing: text)
            return nil
        } catch {
            return error
        }
    }

    /// The four equivalent examples of RFC 9110 section 8.3.1.
    @Test(arguments: [
        "text/html;charset=utf-8", "Text/HTML;Charset=\"utf-8\"", "text/html; charset=\"utf-8\"",
        "text/html;charset=UTF-8", " text/html ;; charset=utf-8 ; ", "text/html; charset=\"u\\tf-8\"",
    ])
    func equivalentFormsAreReadAlike(text: String) throws {
        let value = try ContentTypeValue(parsing: text)
        #expect(value.essence == "text/html")
        #expect(value.charset == "utf-8")
        #expect(value.description.lowercased() == "text/html; charset=utf-8")
    }

    @Test(
        arguments: [
            ("text/html", "text/html", nil), ("TEXT/HTML ; charset=UTF-8", "text/html", "utf-8"),
            // Inside a quoted value there is no parameter.
            ("text/html; title=\"; charset=latin1\"; charset=utf-8", "text/html", "utf-8"),
            ("text/html; title=\"; charset=latin1\"", "text/html", nil),
            // A malformed parameter does not hide those behind it.
            ("text/html; charset; a b=c; charset=\"utf-8\"", "text/html", "utf-8"),
            ("text/html; charset=\"\"; charset=utf-8", "text/html", "utf-8"),
            ("text/html; charset=a; charset=b", "text/html", "a"), ("html", "html", nil), ("", nil, nil),
            (";charset=utf-8", nil, "utf-8"),
        ] as [(String, String?, String?)])
    func aResponsesMediaTypeAndCharsetAreReadAsBrowsersDo(
        text: String, mediaType: String?, charset: String?
    ) {
        let response = ArchiveResponse(headers: ["Content-Type": text])
        #expect(response.mediaType == mediaType)
        #expect(response.charset == charset)
    }

    @Test func parametersKeepOrderFirstOfANameAndQuotesWhereNeeded() throws {
        let value = try ContentTypeValue(parsing: "multipart/form-data; boundary=\"a b\\\"c\"; X=1; x=2; e=\"\"")
        #expect(value.parameters.map(\.name) == ["boundary", "x", "e"])
        #expect(value.parameters.map(\.value) == ["a b\"c", "1", ""])
        #expect(value.description == "multipart/form-data; boundary=\"a b\\\"c\"; x=1; e=\"\"")
        #expect(try ContentTypeValue(parsing: value.description) == value)
        #expect(value.charset == nil)
    }

    @Test func aCharsetIsAddedOrReplaced() throws {
        #expect(
            try ContentTypeValue(parsing: "text/css").with(charset: "utf-8").description == "text/css; charset=utf-8")
        let value = try ContentTypeValue(parsing: "text/css; charset=x; a=b")
        #expect(try value.with(charset: "utf-8").description == "text/css; charset=utf-8; a=b")
        #expect(throws: ContentTypeValue.Failure.parameter) { try value.with(charset: "a\r\nb") }
        #expect(throws: ContentTypeValue.Failure.parameter) { try value.with(charset: "") }
    }

    @Test(arguments: [
        ("", ContentTypeValue.Failure.mediaType), ("text", .mediaType), ("text/", .mediaType), ("/html", .mediaType),
        ("text /html", .mediaType), ("text/html charset=utf-8", .parameter), ("text/html; charset", .parameter),
        ("text/html; charset=", .parameter), ("text/html; charset =x", .parameter), ("text/html; a=\"b", .parameter),
        ("text/html; a=\"b\\", .parameter), ("text/html; a=\"b\r\nc\"", .parameter),
        ("text/html, text/css", .parameter),
        ("text/html; a=b c", .parameter),
    ])
    func otherFormsAreRefused(text: String, expected: ContentTypeValue.Failure) {
        #expect(failure(text) == expected)
    }

    @Test func aValueOverALimitIsRefused() {
        #expect(failure("text/html;" + String(repeating: " ", count: 8192)) == .tooLong)
        #expect(failure("a/b" + (0..<65).map { ";a\($0)=1" }.joined()) == .tooLong)
        #expect(failure("a/b" + (0..<64).map { ";a\($0)=1" }.joined()) == nil)
    }
}
