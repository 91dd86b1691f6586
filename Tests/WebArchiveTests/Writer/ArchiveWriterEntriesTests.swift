// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

@Suite struct ArchiveWriterEntriesTests {
    private let folder: TemporaryFolder
    private let writer: ArchiveWriter

    init() throws {
        folder = try TemporaryFolder()
        writer = try ArchiveWriter(creating: folder.path("a.webarc"))
    }

    private func finish() throws -> ArchiveReader {
        try writer.commit()
        return try ArchiveReader(path: folder.path("a.webarc"))
    }

    // MARK: - URLs and redirects

    @Test func urlsStayAsTheyWereGiven() throws {
        // RFC 3986 section 6.2.2: all of these are equivalent.
        let given = [
            "http://h.example/%7Ea/b", "HTTP://H.Example:80/%7ea/b", "http://h.example/x/../~a/b#f",
            "http://h.example/~a/b",
        ]
        for url in given { try writer.add(ArchiveRequest(url: url), response: nil) }
        let reader = try finish()
        let entries = try reader.entries()
        #expect(try Set(entries.map { try $0.key }) == ["http://h.example/~a/b"])
        #expect(try entries.map { try $0.request.url }.sorted() == given.sorted())
        for url in given { #expect(try reader.captures(of: CanonicalURL(url)).count == 4) }
    }

    /// RFC 3986 section 5.4 has the base and the references.
    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("/g", "http://a/g"), ("//g", "http://g/"),
        ("?y", "http://a/b/c/d;p?y"),
        ("", "http://a/b/c/d;p?q"), ("..", "http://a/b/"), ("../../g", "http://a/g"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
    ])
    func locationsAreResolved(location: String, target: String) throws {
        for status in ArchiveResponse.redirectStatuses {
            try writer.add(
                ArchiveRequest(url: "http://a/b/c/d;p?q"),
                response: ArchiveResponse(status: status, headers: ["LOCATION": location]))
        }
        let entries = try finish().entries()
        #expect(try entries.map { try $0.response?.redirectTarget } == Array(repeating: target, count: 5))
        #expect(try entries.allSatisfy { try $0.kind == .redirect })
        #expect(try Set(entries.map { try $0.response?.status }) == [301, 302, 303, 307, 308])
        #expect(try entries.allSatisfy { try $0.response?.headers == ["LOCATION": location] })
    }

    @Test func whatIsNoRedirect() throws {
        for (number, answer) in [
            ArchiveResponse(status: 200, headers: ["Location": "/x"]),
            ArchiveResponse(status: 304, headers: ["Location": "/x"]),
            ArchiveResponse(status: 300, headers: ["Location": "/x"]), ArchiveResponse(status: 301),
            ArchiveResponse(status: 301, headers: ["Location": "http://["]),
        ].enumerated() {
            try writer.add(ArchiveRequest(url: "http://a/\(number)"), response: answer)
        }
        let entries = try finish().entries()
        #expect(entries.count == 5)
        #expect(try entries.allSatisfy { try $0.kind == .response && $0.response?.redirectTarget == nil })
    }

    // MARK: - Header fields

    private func forms(_ reader: ArchiveReader) throws -> [FieldValueEncoding?] {
        try (0..<reader.index.rowCount(.headerField)).map {
            FieldValueEncoding(rawValue: try reader.index.commits[0].integer(.fieldForm, $0))
        }
    }

    /// Values that follow from the rest are not stored, and yet come back byte for byte.
    @Test func derivedForms() throws {
        let body = Array("hello".utf8)
        // RFC 9110's date is 784,111,777 seconds after 1970; the digest is that of md5sum.
        let headers: HeaderFields = [
            "content-length": "5", "LAST-MODIFIED": "Sun, 06 Nov 1994 08:49:37 GMT",
            "Date": "Sun, 06 Nov 1994 08:49:38 GMT", "etag": "\"5d41402abc4b2a76b9719d911017c592\"",
            "Server": "x",
        ]
        var exchange = Exchange("http://a/", response: ArchiveResponse(headers: headers), body: body)
        exchange.expectedTime = ArchiveTime(seconds: 784_111_778)
        exchange.expectedResponse?.modified = ArchiveTime(seconds: 784_111_777)
        try exchange.write(to: writer)
        let reader = try finish()
        #expect(try forms(reader) == [.contentLength, .lastModified, .date, .digestTag, .literal])
        #expect(try Commits([[exchange]]).differences(from: reader) == [])
    }

    @Test func valuesThatOnlyResembleStayLiteral() throws {
        let headers: HeaderFields = [
            "Content-Length": "6", "content-length": "05", "Content-length": "", "Content-Length-X": "5",
            "Last-Modified": "Sun, 6 Nov 1994 08:49:37 GMT", "Date": "Sunday, 06-Nov-94 08:49:37 GMT",
            "ETag": "W/\"5d41402abc4b2a76b9719d911017c592\"", "etag": "5d41402abc4b2a76b9719d911017c592",
            "Etag": "\"5D41402ABC4B2A76B9719D911017C592\"", "E-Tag": "\"5d41402abc4b2a76b9719d911017c592\"",
        ]
        let exchange = Exchange("http://a/", response: ArchiveResponse(headers: headers), body: Array("hello".utf8))
        try exchange.write(to: writer)
        let reader = try finish()
        #expect(try forms(reader) == Array(repeating: .literal, count: headers.count))
        #expect(try Commits([[exchange]]).differences(from: reader) == [])
    }

    /// Without a body: its length is 0, and its digest that of no bytes.
    @Test func derivedFormsWithoutABody() throws {
        let headers: HeaderFields = ["Content-Length": "0", "ETag": "\"d41d8cd98f00b204e9800998ecf8427e\""]
        let exchanges = [
            Exchange("http://a/1", response: ArchiveResponse(headers: headers)),
            Exchange("http://a/2", response: ArchiveResponse(headers: headers), body: []),
        ]
        for exchange in exchanges { try exchange.write(to: writer) }
        let reader = try finish()
        #expect(try forms(reader) == [.contentLength, .digestTag])
        #expect(try Commits([exchanges]).differences(from: reader) == [])
    }

    /// A request's fields are never derived from the response.
    @Test func fieldsOfRequests() throws {
        var exchange = Exchange("http://a/", body: Array("hello".utf8))
        exchange.request.headers = ["Content-Length": "5", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"]
        try exchange.write(to: writer)
        let reader = try finish()
        #expect(try forms(reader) == [.literal, .literal])
        #expect(try Commits([[exchange]]).differences(from: reader) == [])
    }

    /// A field that has a new value in every record becomes a list that all of them share.
    @Test func fillStrings() throws {
        var exchanges: [Exchange] = []
        for number in 0..<300 {
            var headers: HeaderFields = [
                "Server": "s", "ETag": "\"\(number)\"", "X-Trace": "t\(number)", "Vary": "accept",
            ]
            if number % 3 == 0 { headers.append(name: "Set-Cookie", value: "c\(number)") }
            if number % 50 == 49 { headers.append(name: "ETag", value: "\"3\"") }  // Known before, so no fill.
            var exchange = Exchange("http://a/\(number)", response: ArchiveResponse(headers: headers))
            exchange.request.headers = ["X-Own": "o\(number)", "Accept": "*/*"]
            exchanges.append(exchange)
            try exchange.write(to: writer)
        }
        let reader = try finish()
        #expect(try Commits([exchanges]).differences(from: reader) == [])
        #expect(try forms(reader).contains(.fill))
        // Three fields with 64 values each have a list of their own, and after that a handful is enough.
        #expect(reader.index.rowCount(.headerList) < 64 * 3 + 60)
    }

    @Test func fillStringsStartAfter64Values() throws {
        for number in 0..<66 {
            try Exchange("http://a/\(number)", response: ArchiveResponse(headers: ["ETag": "\"\(number)\""])).write(
                to: writer)
        }
        let found = try forms(finish())
        #expect(found == Array(repeating: .literal, count: 64) + [.fill])
    }

    // MARK: - Limits

    @Test func limits() throws {
        for url in ["", "a/b", "/x", "http://", "http://[", "1:x"] {
            #expect(
                archiveError { try writer.add(ArchiveRequest(url: url), response: nil) }?.code == .invalidArgument,
                "\(url)")
        }
        for status in [99, 1000, 0, -1, .max] {
            let error = archiveError {
                try writer.add(ArchiveRequest(url: "http://a/"), response: ArchiveResponse(status: status))
            }
            #expect(error?.code == .invalidArgument, "\(status)")
        }
        let field = HeaderField(name: "a", value: "b")
        let most = HeaderFields(Array(repeating: field, count: 4096))
        let tooMany = HeaderFields(Array(repeating: field, count: 4097))
        let long = String(repeating: "x", count: 1 << 20)
        // As much as a reader takes, and a field more.
        let sixteen = HeaderFields(Array(repeating: HeaderField(name: "a", value: String(long.dropLast())), count: 16))
        let seventeen = HeaderFields(Array(sixteen) + [field])
        for (headers, code) in [
            (most, nil), (tooMany, .limitExceeded), (["a": long], nil), (["a": long + "x"], .limitExceeded),
            ([long + "x": "a"], .limitExceeded), (sixteen, nil), (seventeen, .limitExceeded),
        ] as [(HeaderFields, ArchiveError.Code?)] {
            let error = archiveError {
                try writer.add(ArchiveRequest(url: "http://ok/"), response: ArchiveResponse(headers: headers))
            }
            #expect(error?.code == code)
        }
        // Refused entries are missing, and do not affect the others.
        let reader = try finish()
        let entries = try reader.entries()
        #expect(try entries.map { try $0.key } == ["http://ok/", "http://ok/", "http://ok/"])
        #expect(try entries.map { try $0.response?.headers } == [sixteen, ["a": long], most])
    }

    // MARK: - Aliases and metadata

    @Test func aliases() throws {
        var exchange = Exchange("http://a/index.html", body: [1, 2], time: ArchiveTime(seconds: 5))
        exchange.request.headers = ["Accept": "x"]
        let body = try writer.addBody([1, 2])
        let entry = try writer.add(exchange.request, response: exchange.response, body: body, time: exchange.time)
        try writer.addAlias(CanonicalURL("http://a/"), of: entry)
        try writer.addAlias(CanonicalURL("http://a/kept"), of: entry, role: .unpackOnly)
        let missing = try writer.builder.addAlias(CanonicalURL("http://a/missing"), of: entry, status: 404)
        let reader = try finish()
        let alias = try #require(try reader.entry(for: "http://a/"))
        let original = try #require(try reader.entry(for: "http://a/index.html"))
        #expect(try alias.role == .alias && original.role == .exchange)
        #expect(try alias.sharesResponse(with: original))
        #expect(try alias.response == original.response && alias.time == original.time)
        #expect(try alias.body?.bytes() == [1, 2])
        #expect(try alias.request.url == "http://a/")
        #expect(try reader.entry(for: "http://a/kept") == nil)
        let other = try #require(try reader.entry(for: "http://a/missing"))
        #expect(try other.response?.status == 404 && other.body?.bytes() == [1, 2])
        #expect(try !other.sharesResponse(with: original))
        #expect(missing.earlier == nil)
    }

    @Test func metadata() throws {
        let icon = try writer.addBody([9, 9])
        try writer.setMetadata("title", to: "first")
        try writer.setMetadata("title", to: "second")
        try writer.setMetadata("language", to: "de")
        try writer.setMetadata("x-\u{E9}", to: "\u{1F600}")
        try writer.setMetadata("icon", to: icon)
        try writer.setMetadata("description", to: "")
        let reader = try finish()
        #expect(
            try reader.metadata() == ["title": "second", "language": "de", "x-\u{E9}": "\u{1F600}", "description": ""])
        #expect(try reader.metadataBody("icon")?.bytes() == [9, 9])
        #expect(try reader.metadataBody("title") == nil)
        #expect(try reader.metadataBody("none") == nil)

        let second = try ArchiveWriter(appendingTo: folder.path("a.webarc"))
        #expect(try second.builder.existingMetadata() == reader.metadata())
        try second.setMetadata("title", to: "third")
        try second.setMetadata("language", to: nil)
        try second.setMetadata("icon", to: "no body any more")
        try second.commit()
        let later = try ArchiveReader(path: folder.path("a.webarc"))
        #expect(
            try later.metadata() == [
                "title": "third", "icon": "no body any more", "x-\u{E9}": "\u{1F600}", "description": "",
            ])
        #expect(try later.metadataBody("icon") == nil)
        #expect(try reader.metadata()["title"] == "second")
    }
}
