// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveRecording

@Suite("Recording proxy")
struct RecordingProxyTests {
    /// A response is recorded byte for byte: odd spacing and case, bytes beyond ASCII, duplicates, chunks with extensions and trailers, and false codings.
    private static let messages: [String: String] = [
        "/plain": "HTTP/1.1 200 OK\r\ncontent-LENGTH:  5\r\nX-A: 1\r\nx-a: 2\r\n\r\nhello",
        "/chunked":
            "HTTP/1.1 200 Fine\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n5;ext=1\r\nhello\r\n000\r\nX-T: end\r\n\r\n",
        "/false-gzip": "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
        "/missing": "HTTP/1.1 404 Nope\r\nContent-Length: 0\r\n\r\n",
        "/no-content": "HTTP/1.1 204 No Content\r\n\r\n",
        "/moved": "HTTP/1.1 301 Moved\r\nLocation: /plain\r\nContent-Length: 2\r\n\r\nok",
        "/latin": "HTTP/1.1 200 OK\r\nX-Name: caf\u{E9}\r\nContent-Length: 1\r\n\r\nx",
        "/hints":
            "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    ]

    @Test func bytesAreThoseOfTheOrigin() async throws {
        let origin = try RawOrigin { request in RawOrigin.Response(Self.messages[request.target] ?? "") }
        let recording = try await TestRecording.start()
        for (target, message) in Self.messages.sorted(by: { $0.key < $1.key }) {
            let result = try recording.curl("--include", "--raw", origin.url(target))
            #expect(result.status == 0, "\(target)")
            // The client gets the content as it is.
            let content = message.split(separator: "\r\n\r\n", omittingEmptySubsequences: false).last ?? ""
            #expect(result.text.hasSuffix(content), "\(target) \(result.text)")
        }
        #expect(Set(origin.requests.map(\.connection)).count <= Self.messages.count)
        let archive = try await recording.finish()
        for (target, message) in Self.messages {
            var expected = Array(message.utf8)
            if target == "/hints", let end = expected.firstRange(of: "\r\n\r\n".utf8)?.upperBound {
                expected.removeSubrange(..<end)
            }
            #expect(try archive.response(origin.url(target)).receivedBytes == expected, "\(target)")
        }
        #expect(try archive.text(origin.url("/chunked")) == "hello")
        #expect(try archive.text(origin.url("/false-gzip")) == "hello")
        #expect(try archive.response(origin.url("/moved")).response?.redirectTarget == origin.url("/plain"))
    }

    /// A `Host` that is more than a host and a port would store the response under another URL.
    @Test(arguments: ["#", "/index.html#", "/index.html?", "?", "\\", "\t"])
    func refusesAHostThatIsMoreThanOne(_ rest: String) async throws {
        let origin = try RawOrigin { _ in RawOrigin.Response("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil") }
        let recording = try await TestRecording.start()
        let result = try recording.curl(
            "--proxytunnel", "--header", "Host: 127.0.0.1:\(origin.port)\(rest)", "--write-out", "%{http_code}",
            "--output", "/dev/null", origin.url("/~mallory/evil"))
        #expect(result.text == "400" && origin.requests.isEmpty)
        try await recording.proxy.shutdown()
    }

    @Test func informationalResponsesAndTrailersArePassedOn() async throws {
        let origin = try RawOrigin { request in RawOrigin.Response(Self.messages[request.target] ?? "") }
        let recording = try await TestRecording.start()
        let client = try RawClient(port: recording.proxy.port)
        client.send("GET \(origin.url("/hints")) HTTP/1.1\r\nHost: a\r\n\r\n")
        let hints = try client.receive { $0.hasSuffix("\r\n\r\nok") }
        #expect(hints.hasPrefix("HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\n"))
        client.send("GET \(origin.url("/chunked")) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let chunked = String(decoding: try client.receiveAll(), as: UTF8.self)
        #expect(chunked.hasSuffix("\r\n\r\n5\r\nhello\r\n0\r\nX-T: end\r\n\r\n"))
        _ = try await recording.finish()
    }

    /// Real coders made the content, and the archive has it without the coding.
    @Test(arguments: ["gzip", "br", "zstd", "deflate"])
    func contentCodings(_ coding: String) async throws {
        let text = (0..<5000).map { "line \($0)\n" }.joined()
        let coded = try Self.coded(text, coding)
        let origin = try RawOrigin { _ in
            let head =
                "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Type: text/plain\r\nContent-Length: \(coded.count)\r\n\r\n"
            return RawOrigin.Response([Array(head.utf8), coded])
        }
        let recording = try await TestRecording.start()
        #expect(try Array(recording.curl(origin.url("/a")).output) == coded)
        let entry = try await recording.finish().response(origin.url("/a"))
        #expect(try entry.body?.bytes() == Array(text.utf8))
        #expect(try entry.response?.codings == [coding])
        #expect(try entry.receivedBytes == origin.sent(for: "/a").first)
    }

    private static func coded(_ text: String, _ coding: String) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = try folder.write("a", text.utf8).string
        switch coding {
        case "gzip": return Array(try ExternalTool.run(["gzip", "-nc", path]).output)
        case "br": return HTTPTestResponse.text(text).brotli().body.bytes()
        case "zstd": return Array(try ExternalTool.run(["zstd", "-qc", path]).output)
        default:
            let script = "import sys,zlib;sys.stdout.buffer.write(zlib.compress(open(sys.argv[1],'rb').read()))"
            return Array(try ExternalTool.run(["python3", "-c", script, path]).output)
        }
    }

    @Test func requestsKeepTheirFieldsAndBodies() async throws {
        let origin = try RawOrigin { _ in RawOrigin.Response("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        let recording = try await TestRecording.start()
        _ = try recording.curl(
            "--header", "X-Odd: 1", "--header", "x-odd: 2", "--header", "Connection: X-Hop", "--header", "X-Hop: 1",
            "--header", "If-None-Match: \"a\"", "--header", "Cookie: secret", "--data", "q=swift", origin.url("/form"))
        _ = try recording.curl("--header", "Transfer-Encoding: chunked", "--data", "q=chunks", origin.url("/stream"))
        let sent = try #require(origin.requests.first { $0.target == "/form" })
        #expect(sent.head.contains("\r\nX-Odd: 1\r\nx-odd: 2\r\n") && sent.head.contains("Cookie: secret"))
        #expect(sent.head.hasPrefix("POST /form HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\n"))
        for gone in ["X-Hop", "If-None-Match", "Proxy-Connection"] { #expect(!sent.head.contains(gone), "\(gone)") }
        #expect(sent.body == Array("q=swift".utf8))
        #expect(origin.requests.last?.body == Array("8\r\nq=chunks\r\n0\r\n\r\n".utf8))
        let archive = try await recording.finish()
        let entries = try archive.entries(of: CanonicalURL(origin.url("/form")), atMost: 10)
        let entry = try #require(entries.first)
        #expect(try entry.requestBody?.bytes() == Array("q=swift".utf8) && entry.method == "POST")
        #expect(try entry.request.headers.values(named: "x-odd") == ["1", "2"])
        #expect(try entry.request.headers["Cookie"] == nil)
    }

    @Test func refusesWhatIsNoRequestToAProxy() async throws {
        let recording = try await TestRecording.start()
        for request in [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET http://user@a/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "POST http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        ] {
            let client = try RawClient(port: recording.proxy.port)
            client.send(request)
            let response = String(decoding: try client.receiveAll(), as: UTF8.self)
            #expect(response.hasPrefix("HTTP/1.1 400 "), "\(request) \(response)")
        }
        let own = try recording.curl("http://127.0.0.1:\(recording.proxy.port)/")
        #expect(own.text.contains("this proxy itself"))
        try await recording.proxy.shutdown()
    }

    @Test func privateTargetsAreRefused() async throws {
        let origin = try RawOrigin { _ in RawOrigin.Response("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        let recording = try await TestRecording.start { $0.allowsPrivateTargets = false }
        for host in ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"] {
            let result = try recording.curl("--write-out", "%{http_code}", "http://\(host):\(origin.port)/")
            #expect(result.text.hasSuffix("403"), "\(host) \(result.text)")
        }
        #expect(origin.requests.isEmpty)
        try await recording.proxy.shutdown()
    }

    @Test func pagesAndExchangesShareACommit() async throws {
        let origin = try RawOrigin { _ in RawOrigin.Response("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        let recording = try await TestRecording.start()
        let url = origin.url("/robots.txt")
        let loaded = try await recording.proxy.load(ArchiveRequest(url: url))
        #expect(try loaded.body?.bytes(in: 0..<2) == Array("ok".utf8))
        try await recording.proxy.commit { builder, _ throws(ArchiveError) in
            try builder.add(ArchivePage(url: url, status: 200))
        }
        let archive = try ArchiveReader(path: recording.path)
        #expect(archive.commitCount == 1 && archive.entryCount == 1)
        #expect(try archive.text(url) == "ok")
        _ = try await recording.finish()
    }
}
