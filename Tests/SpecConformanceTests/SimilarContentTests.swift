// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

/// Tests of section 8.5, rule 13, with both readers.
@Suite struct SimilarContentTests {
    private let folder: TemporaryFolder
    private let script = Vectors.root.appendingPathComponent("Spec/reference/webarc_reader.py").path

    init() throws { folder = try TemporaryFolder() }

    /// A POST with its content and its type.
    private struct Post {
        let url: String
        let type: String
        let content: String

        init(_ url: String, _ type: String, _ content: String) {
            (self.url, self.type, self.content) = (url, type, content)
        }
    }

    /// Writes an archive of POSTs, the newest last; the body of each response is its number.
    private func write(_ posts: [Post]) throws -> ArchiveReader {
        let path = folder.path("a.webarc")
        let writer = try ArchiveWriter(creating: path)
        for (number, post) in posts.enumerated() {
            try writer.add(
                ArchiveRequest(method: "POST", url: post.url, headers: ["Content-Type": post.type]),
                requestBody: writer.addBody(Array(post.content.utf8)), response: ArchiveResponse(),
                body: writer.addBody(Array("\(number)".utf8)), time: ArchiveTime(nanoseconds: Int64(number + 1)))
        }
        try writer.commit()
        return try ArchiveReader(path: path)
    }

    /// Returns the response of both readers, which must be the same.
    private func response(to post: Post, _ reader: ArchiveReader, _ note: Comment) throws -> String? {
        var request = try MatchRequest(
            url: CanonicalURL(post.url), method: "POST", headers: ["Content-Type": post.type])
        request.content = Array(post.content.utf8)
        request.bodyDigest = ContentDigest(hashing: Array(post.content.utf8))
        let match = try ArchiveMatcher(reader, options: .replaying).match(request)
        let own = try match?.entry.body.map { String(decoding: try $0.bytes(), as: UTF8.self) }
        try folder.write("content", Array(post.content.utf8))
        let second = try Python.run([
            script, "cat", folder.path("a.webarc").string, post.url, "--post", folder.path("content").string, post.type,
        ])
        #expect(
            second.text == own ?? "" && (second.status == 0) == (own != nil), "\(second.errorText)\n\(note.rawValue)")
        return own
    }

    private static let json = "application/json"
    private static let form = "application/x-www-form-urlencoded"
    /// The end of a name that has one byte too many.
    private static let long = String(repeating: "n", count: 124)
    private static let four = "\"a\":1,\"b\":2,\"c\":3"

    /// A stored content, a requested one, and whether they are alike. Numbers, escapes and blanks are those of JSON.
    @Test(
        arguments: [
            (json, "{\(four),\"d\":4}", "{\"d\":5,\(four)}", true),
            (json, "{\(four),\"d\":4}", "{\(four),\"e\":4}", false),
            (json, "{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":1,\"b\":2,\"c\":4}", false),
            (json, "{\"a\":1}", "{\"a\":2}", false), (json, "{\"a\":1}", "{ \"a\" : 1.0 }", true),
            (json, "{\"a\":100}", "{\"a\":1e2}", true),
            (json, "{\"a\":9007199254740993}", "{\"a\":9007199254740992}", false),
            (json, "{\"a\":\"\u{e9}\"}", "{\"a\":\"e\u{301}\"}", false),
            (json, "{\"a\":\"\u{e9}\"}", "{\"a\":\"\\u00e9\"}", true),
            (json, "{\"a\":\"\u{fffd}\"}", "{\"a\":\"\\ud800\"}", true), (json, "{\"a\":1}", "{\"a\":\"1\"}", false),
            (json, "{\"a\":1}", "\u{feff}{\"a\":1}", true), (json, "{\"a\":1,\"a\":1}", "{\"a\":1, \"a\":1}", false),
            (json, "[1]", "[ 1 ]", true), (json, "1", " 1", false), (json, "[1]", "[1,]", false),
            (json, "{\(four),\"d\":[]}", "{\(four),\"d\":{}}", false), (json, "[1,2,3]", "[1,2,3,4]", true),
            (json, "[1,2]", "[1,2,3]", false), (json, "[[1,2,3],{}]", "[[1,2,3,4],{}]", true),
            ("text/plain;charset=UTF-8", "{\"a\":1}", "{ \"a\":1}", true), ("text/plain", "a", "b", false),
            ("application/vnd.api+json", "{\"a\":1}", "{ \"a\":1}", true), ("application/xml", "[1]", "[ 1]", false),
            (json, "{\"q\":1,\"ts\":1589234567890}", "{\"q\":1,\"ts\":1700000000000}", true),
            (json, "{\"q\":1,\"products\":4006381333931}", "{\"q\":1,\"products\":4006381333948}", false),
            (json, "{\"q\":1,\"eventTs\":1589234567890}", "{\"q\":1,\"eventTs\":1700000000000}", true),
            (json, "{\"q\":1,\"ts\":1589234567890}", "{\"q\":2,\"ts\":1589234567890}", false),
            (json, "{\"q\":1,\"t\":\"1589234567890\"}", "{\"q\":1,\"t\":1700000000000}", true),
            (json, "{\"q\":1,\"t\":1}", "{\"q\":1,\"t\":1700000000000}", false),
            (json, "{\"q\":1,\"X-CSRF_Token\":\"a\"}", "{\"q\":1,\"X-CSRF_Token\":\"b\"}", true),
            (json, "{\"q\":1,\"pageToken\":\"a\"}", "{\"q\":1,\"pageToken\":\"b\"}", false),
            (json, "{\"q\":1,\"request-id\":\"a\"}", "{\"q\":1,\"request-id\":null}", true),
            (json, "{\"cb\":0.25}", "{\"cb\":0.125}", true), (json, "{\"nonce\":[1,2]}", "{\"nonce\":[3,4]}", true),
            (json, "{\"nonce\(long)\":1}", "{\"nonce\(long)\":2}", false),
            (json, "{\"nonce\(long.dropLast())\":1}", "{\"nonce\(long.dropLast())\":2}", true),
            (
                json, "{\"query\":\"{ a\\n b }\",\"variables\":{\"n\":1}}",
                "{\"query\":\" { a b }\\t\",\"variables\":{\"n\":1}}", true
            ),
            (json, "{\"query\":\"{ a }\",\(four)}", "{\"query\":\"{ b }\",\(four)}", false),
            (json, "{\"operationName\":\"A\",\(four)}", "{\"operationName\":\"A \",\(four)}", false),
            (json, "[{\"query\":\"a\",\(four)}]", "[{\"query\":\"b\",\(four)}]", false),
            (json, "{\"x\":{\"query\":\"a\"},\(four)}", "{\"x\":{\"query\":\"b\"},\(four)}", true),
            (json, "{\"query\":\"a\",\"variables\":{\"id\":1}}", "{\"query\":\"a\",\"variables\":{\"id\":2}}", false),
            (
                json, "{\"extensions\":{\"persistedQuery\":{\"sha256Hash\":\"a\"}},\(four)}",
                "{\"extensions\":{\"persistedQuery\":{\"sha256Hash\":\"b\"}},\(four)}", false
            ),
            (json, "{\"extensions\":[1],\(four)}", "{\"extensions\":[1,2],\(four)}", false),
            (form, "a=1&b=2&c=3&d=4", "d=5&c=3&&b=2&a=1", true), (form, "a=1&b=2", "a=1&b=3", false),
            (form, "a=x+y%2B", "a=x%20y%2b", true), (form, "a", "a=", true), (form, "a=1&a=2", "a=2&a=1", false),
            (form, "a=1&nonce=f3", "a=1&nonce=77", true), (form, "query=a&b=1&c=1&d=1", "query=b&b=1&c=1&d=1", false),
            (form, "a=1&PHPSESSID=0123456789abcdef", "a=1&PHPSESSID=fedcba9876543210", true),
            (form, "a=1&PHPSESSID=0123456789abcdef", "a=1&PHPSESSID=0", false),
            (form, "a=1", "{\"a\":[\"1\"]}", false),
        ] as [(String, String, String, Bool)])
    func contents(_ type: String, _ stored: String, _ requested: String, _ isAlike: Bool) throws {
        let reader = try write([Post("http://a/", type, stored)])
        let note: Comment = "\(type): \(stored) for \(requested)"
        #expect(try response(to: Post("http://a/", type, requested), reader, note) == (isAlike ? "0" : nil), note)
        // Another type is not compared.
        #expect(try response(to: Post("http://a/", "application/x", requested), reader, note) == nil, note)
    }

    /// Parts of a form; each has the fields as given.
    private func multipart(_ boundary: String, _ parts: [(String, String)], end: String = "--") -> Post {
        let text = parts.map { "--\(boundary)\r\nContent-Disposition: form-data; \($0.0)\r\n\r\n\($0.1)\r\n" }.joined()
        return Post("http://a/", "multipart/form-data; boundary=\(boundary)", "\(text)--\(boundary)\(end)\r\n")
    }

    @Test func partsOfForms() throws {
        let reader = try write([multipart("x1", [("name=\"a\"", "1"), ("name=\"f\"; filename=\"n\"", "\r\n--x\r\n")])])
        for (post, isAlike) in [
            (multipart("yy", [("name=\"a\"", "1"), ("NAME=\"f\"; filename=\"o\"", "\r\n--x\r\n")]), true),
            (multipart("yy", [("name=\"a\"", "1"), ("filename=\"name=\"; name=\"f\"", "\r\n--x\r\n")]), true),
            (multipart("yy", [("name=\"a\"", "2"), ("name=\"f\"", "\r\n--x\r\n")]), false),
            (multipart("yy", [("name=\"a\"", "1"), ("name=\"g\"", "\r\n--x\r\n")]), false),
            (multipart("yy", [("name=\"a\"", "1"), ("filename=\"f\"", "\r\n--x\r\n")]), false),
            (multipart("yy", [("name=\"a\"", "1"), ("name=\"f\"", "\r\n--x\r\n")], end: ""), false),
            (multipart("yy", []), false),
        ] {
            let note: Comment = "\(post.content)"
            #expect(try response(to: post, reader, note) == (isAlike ? "0" : nil), note)
        }
    }

    /// The limits of length, values and depth: at each, and one beyond.
    @Test func limits() throws {
        func deep(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        func wide(_ count: Int) -> String { "[" + String(repeating: "1,", count: count - 2) + "1]" }
        func long(_ length: Int) -> String { "[\"" + String(repeating: "x", count: length - 4) + "\"]" }
        func fields(_ count: Int) -> String { String(repeating: "a=1&", count: count - 2) }
        for (type, stored, asked, isAlike) in [
            (Self.json, deep(64), " " + deep(64), true), (Self.json, deep(65), " " + deep(65), false),
            (Self.json, wide(4096), " " + wide(4096), true), (Self.json, wide(4097), " " + wide(4097), false),
            (Self.form, fields(4096), "&" + fields(4096), true), (Self.form, fields(4097), "&" + fields(4097), false),
            (Self.json, long(65_535), " " + long(65_535), true), (Self.json, long(65_536), " " + long(65_536), false),
            (Self.json, " " + long(65_536), long(65_536), false),
        ] {
            let note: Comment = "\(type) \(stored.utf8.count) \(asked.utf8.count)"
            let reader = try write([Post("http://a/", type, stored)])
            #expect(try response(to: Post("http://a/", type, asked), reader, note) == (isAlike ? "0" : nil), note)
        }
    }

    /// The URL may differ by the rules for URLs; the best content of a URL comes first, of two as good the newest.
    @Test func urlsAndOrder() throws {
        let posts = [
            Post("https://a/api?_=1", Self.json, "{\(Self.four),\"d\":4,\"nonce\":1}"),
            Post("https://a/api?_=2", Self.json, "{\(Self.four),\"d\":5,\"nonce\":2}"),
            Post("https://a/api?_=3", Self.json, "{\(Self.four),\"d\":6,\"nonce\":3}"),
            Post("https://a/other", Self.json, "{\(Self.four),\"d\":7,\"nonce\":4}"),
        ]
        let reader = try write(posts)
        for (url, end, expected) in [
            ("https://a/api?_=1", "9,\"nonce\":9", "0"), ("https://a/api?_=9", "9,\"nonce\":9", "2"),
            ("https://a/api?_=9", "9,\"nonce\":2", "1"), ("https://a/api?_=9", "4,\"nonce\":2", "0"),
            ("https://a/api?_=9&x", "4,\"nonce\":2", nil), ("http://a/other", "9,\"nonce\":9", "3"),
            ("https://a//other", "9,\"nonce\":9", "3"), ("https://a/others", "9,\"nonce\":9", nil),
        ] as [(String, String, String?)] {
            let note: Comment = "\(url) \(end)"
            #expect(
                try response(to: Post(url, Self.json, "{\(Self.four),\"d\":\(end)}"), reader, note) == expected, note)
        }
    }

    /// Random contents that differ in a few values: both readers choose the same.
    @Test func randomContents() throws {
        var random = SeededGenerator()
        let note: Comment = "seed \(random.seed)"
        var posts: [Post] = []
        var requests: [Post] = []
        for number in 0..<40 {
            let (url, isForm) = ("http://a/\(number)", number.isMultiple(of: 3))
            let names = ["a", "b", "c", "d", "e", "nonce", "ts", "query"].filter { _ in
                Int.random(in: 0..<4, using: &random) > 0
            }
            for copy in 0..<5 {
                let values = names.map { ($0, Self.value(0, &random)) }
                let content =
                    isForm
                    ? values.map { "\($0)=\($1.filter { !"&=+%".contains($0) })" }.joined(separator: "&")
                    : "{\(values.map { "\"\($0)\": \($1)" }.joined(separator: ","))}"
                let post = Post(url, isForm ? Self.form : Self.json, content)
                if copy < 4 { posts.append(post) } else { requests.append(post) }
            }
        }
        let reader = try write(posts)
        var found = 0
        for request in requests where try response(to: request, reader, "\(request.content), \(note.rawValue)") != nil {
            found += 1
        }
        #expect(found > 0, note)
    }

    /// A value that is likely to come again.
    private static func value(_ depth: Int, _ random: inout SeededGenerator) -> String {
        switch Int.random(in: 0..<(depth < 2 ? 24 : 20), using: &random) {
        case 0..<16: "1"
        case 16: "null"
        case 17: "\"x\""
        case 18: "1.5"
        case 19: "1700000000000"
        case 20, 21: "[\(value(depth + 1, &random)), \(value(depth + 1, &random))]"
        case 22: "[\(value(depth + 1, &random))]"
        default: "{\"k\": \(value(depth + 1, &random)), \"id\": \(value(depth + 1, &random))}"
        }
    }
}
