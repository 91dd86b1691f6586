// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct ReplayTests {
    @Test func aStoredResponseComesWithStatusFieldsAndBody() async throws {
        let bundle = try TestBundle(
            .init(
                "https://notes.example/a?x=1", status: 404,
                ["Content-Type": "text/plain; charset=utf-8", "X-Mine": "1"], "Grüße"))
        let result = await bundle.session().load("https://notes.example/a?x=1")
        #expect(result.status == 404)
        #expect(result.text == "Grüße")
        #expect(result.field("x-mine") == "1")
        #expect(result.field("Content-Length") == "7")
        #expect(result.response?.mimeType == "text/plain")
        #expect(result.response?.textEncodingName == "utf-8")
        #expect(result.response?.url?.absoluteString == "https://notes.example/a?x=1")
    }

    @Test func fieldsOfOneNameComeAsOneInTheirOrder() async throws {
        let bundle = try TestBundle(
            .init("http://a.example/", ["Link": "<1>", "X-A": "b", "link": "<2>"], "body"))
        #expect(await bundle.session().load("http://a.example/").field("Link") == "<1>, <2>")
    }

    @Test func aMissingResponseFailsAsReturnCacheDataDontLoadDoesAndNamesTheURL() async throws {
        let bundle = try TestBundle(.init("http://a.example/", "x"))
        let result = await bundle.session().load("http://a.example/missing")
        #expect(result.error?.code == .resourceUnavailable)
        #expect(result.error?.failingURL?.absoluteString == "http://a.example/missing")
        #expect(result.data == nil && result.response == nil)
    }

    /// Specification section 8.7.
    @Test(
        arguments: [
            ("/app/users/7", 200, "/app/users/7", "app"), ("/old/page", 200, "/page", "page"),
            ("/gone/x", 410, "/gone/x", "app"),
            ("/none", nil, nil, nil),
        ] as [(String, Int?, String?, String?)])
    func redirectRulesOfTheSiteAreApplied(_ path: String, _ status: Int?, _ end: String?, _ text: String?)
        async throws
    {
        let folder = try TemporaryFolder()
        let writer = try ArchiveWriter(creating: folder.path("bundle.webarc"))
        for name in ["app", "page"] {
            try writer.add(
                ArchiveRequest(url: "https://a.example/\(name)"), response: ArchiveResponse(),
                body: writer.addBody(Array(name.utf8)))
        }
        let rules = "/app/* /app 200\n/old/* /:splat 302\n/gone/* /app 410\n"
        try writer.add(
            ArchiveRequest(url: "https://a.example/_redirects"), response: ArchiveResponse(),
            body: writer.addBody(Array(rules.utf8)), role: .unpackOnly)
        try writer.setMetadata("redirectRules", to: "https://a.example/_redirects")
        try writer.commit()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.install(bundles: [try ArchiveReader(path: folder.path("bundle.webarc"))], policy: .archiveOnly)
        let result = await URLSession(configuration: configuration).load("https://a.example\(path)")
        #expect(result.status == status)
        #expect(result.response?.url?.path == end)
        #expect(result.text == text)
    }

    @Test func aRequestForAnotherSchemeGoesPastTheArchive() async throws {
        let bundle = try TestBundle(.init("http://a.example/", "x"))
        var options = SessionOptions()
        options.schemes = ["https"]
        // A port that nothing listens on: the network says so, not the archive.
        let result = await bundle.session(options: options).load("http://127.0.0.1:1/")
        #expect(result.error?.code == .cannotConnectToHost)
        #expect(await bundle.session().load("http://127.0.0.1:1/").error?.code == .resourceUnavailable)
    }

    @Test func headIsAnsweredFromGETWithItsLengthAndWithoutABody() async throws {
        let bundle = try TestBundle(.init("http://a.example/", "twelve bytes"))
        let result = await bundle.session().load(URLRequest("http://a.example/", method: "HEAD"))
        #expect(result.status == 200)
        #expect(result.field("Content-Length") == "12")
        #expect(result.data?.isEmpty ?? true)
    }

    @Test(arguments: [
        ("bytes=2-4", 206, "234", "bytes 2-4/10"), ("bytes=-3", 206, "789", "bytes 7-9/10"),
        ("bytes=8-", 206, "89", "bytes 8-9/10"), ("bytes=10-", 416, "", "bytes */10"),
        ("bytes=0-1,4-5", 200, "0123456789", nil), ("lines=1-2", 200, "0123456789", nil),
    ])
    func aRangeIsCutFromTheBody(_ range: String, _ status: Int, _ text: String, _ field: String?) async throws {
        let bundle = try TestBundle(.init("http://a.example/", "0123456789"))
        let result = await bundle.session().load(URLRequest("http://a.example/", fields: ["Range": range]))
        #expect(result.status == status)
        #expect(result.text ?? "" == text)
        #expect(result.field("Content-Range") == field)
        #expect(result.field("Content-Length") == String(text.utf8.count))
    }

    @Test func ifRangeGuardsARange() async throws {
        let bundle = try TestBundle(.init("http://a.example/", ["ETag": "\"1\""], "0123456789"))
        func load(_ tag: String) async -> LoadedResult {
            await bundle.session().load(
                URLRequest("http://a.example/", fields: ["Range": "bytes=1-2", "If-Range": tag]))
        }
        #expect(await load("\"1\"").text == "12")
        #expect(await load("\"2\"").text == "0123456789")
    }

    @Test func aConditionIsEvaluatedOnTheStoredResponse() async throws {
        let bundle = try TestBundle(
            .init(
                "http://a.example/", ["ETag": "\"1\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "X-A": "1"],
                "x"))
        func load(_ name: String, _ value: String) async -> LoadedResult {
            await bundle.session().load(URLRequest("http://a.example/", fields: [name: value]))
        }
        let known = await load("If-None-Match", "\"0\", W/\"1\"")
        #expect(known.status == 304)
        #expect(known.data?.isEmpty ?? true)
        #expect(known.field("ETag") == "\"1\"" && known.field("X-A") == nil)
        #expect(await load("If-None-Match", "\"2\"").status == 200)
        #expect(await load("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT").status == 304)
        #expect(await load("If-Modified-Since", "Sun, 06 Nov 1994 08:49:36 GMT").status == 200)
        #expect(await load("If-Match", "\"2\"").status == 412)
    }

    @Test(arguments: [204, 304, 205])
    func aResponseWithoutContentHasNoBody(_ status: Int) async throws {
        let bundle = try TestBundle(.init("http://a.example/", status: status, ["X-A": "1"]))
        let result = await bundle.session().load("http://a.example/")
        #expect(result.status == status)
        #expect(result.field("X-A") == "1")
        #expect(result.data?.isEmpty ?? true)
    }

    @Test func aPOSTIsFoundByTheDigestOfItsBody() async throws {
        let bundle = try TestBundle(
            .init("http://a.example/", method: "POST", requestBody: Array("one".utf8), "1"),
            .init("http://a.example/", method: "POST", requestBody: Array("two".utf8), "2"))
        func load(_ body: String) async -> LoadedResult {
            await bundle.session().load(URLRequest("http://a.example/", method: "POST", body: Data(body.utf8)))
        }
        #expect(await load("one").text == "1")
        #expect(await load("two").text == "2")
        #expect(await load("three").error?.code == .resourceUnavailable)
    }

    @Test func aBodyThatComesAsAStreamIsRead() async throws {
        let bundle = try TestBundle(
            .init("http://a.example/", method: "POST", requestBody: [UInt8](repeating: 7, count: 300_000), "read"))
        var request = URLRequest("http://a.example/", method: "POST")
        request.httpBodyStream = InputStream(data: Data(repeating: 7, count: 300_000))
        #expect(await bundle.session().load(request).text == "read")
    }

    @Test func aCookieOfAStoredResponseGoesIntoTheSessionsStorage() async throws {
        let bundle = try TestBundle(.init("http://a.example/", ["Set-Cookie": "name=value; Path=/"], "x"))
        let session = bundle.session()
        _ = await session.load("http://a.example/")
        let cookies = session.configuration.httpCookieStorage?.cookies(for: URL(string: "http://a.example/b")!)
        #expect(cookies?.map { "\($0.name)=\($0.value)" } == ["name=value"])
    }

    @Test func theCodingOfADecodedBodyIsNotDelivered() async throws {
        let folder = try TemporaryFolder()
        let writer = try ArchiveWriter(creating: folder.path("a.webarc"))
        let response = ArchiveResponse(headers: ["Content-Encoding": "gzip", "Content-Length": "5"], codings: ["gzip"])
        try writer.add(
            ArchiveRequest(url: "http://a.example/"), response: response, body: writer.addBody(Array("decoded".utf8)))
        try writer.commit()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.install(bundles: [try ArchiveReader(path: folder.path("a.webarc"))])
        let result = await URLSession(configuration: configuration).load("http://a.example/")
        #expect(result.text == "decoded")
        #expect(result.field("Content-Encoding") == nil)
        #expect(result.field("Content-Length") == "7")
    }

    @Test(arguments: [300_000, 5_000_000, 12_345_678])
    func aLongBodyComesWhole(_ count: Int) async throws {
        var generator = SeededGenerator()
        // Half of it shrinks, half does not.
        var body: [UInt8] = []
        while body.count < count {
            let byte = UInt8.random(in: 0...255, using: &generator)
            body +=
                Bool.random(using: &generator)
                ? [UInt8](repeating: byte, count: 999)
                : generator.bytes(999)
        }
        body.removeLast(body.count - count)
        let folder = try TemporaryFolder()
        let writer = try ArchiveWriter(creating: folder.path("a.webarc"))
        try writer.add(
            ArchiveRequest(url: "http://a.example/"), response: ArchiveResponse(), body: writer.addBody(body))
        try writer.commit()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.install(bundles: [try ArchiveReader(path: folder.path("a.webarc"))])
        let session = URLSession(configuration: configuration)
        let isWhole = await session.load("http://a.example/").data.map { Array($0) == body }
        #expect(isWhole == true, "seed \(generator.seed)")
        let (start, end) = (count / 3, count - 7)
        let part = await session.load(URLRequest("http://a.example/", fields: ["Range": "bytes=\(start)-\(end - 1)"]))
        let isPart = part.data.map { Array($0) == Array(body[start..<end]) }
        #expect(isPart == true, "seed \(generator.seed)")
    }

    @Test func theFirstBundleWithAResponseWins() async throws {
        let patch = try TestBundle(.init("http://a.example/2", "patched"))
        let base = try TestBundle(.init("http://a.example/1", "one"), .init("http://a.example/2", "two"))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.install(bundles: [patch.reader, base.reader])
        let session = URLSession(configuration: configuration)
        #expect(await session.load("http://a.example/1").text == "one")
        #expect(await session.load("http://a.example/2").text == "patched")
    }
}
