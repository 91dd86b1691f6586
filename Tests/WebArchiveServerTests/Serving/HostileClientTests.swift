// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveServer

/// The bytes that a client may send to break a server or to smuggle a request past another one.
@Suite struct HostileClientTests {
    private static let smuggled = "GET /style.css HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    /// Each is refused, and nothing of it is taken for a second request. RFC 9112 sections 3.2, 5.1, 6.1, 6.3, 7.1 and 11.2.
    @Test(arguments: [
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4, 5\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: +4\r\n\r\nabcd",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -4\r\n\r\nabcd",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n\r\n",
        "POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\n X: folded\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\rY: b\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nNo colon\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\n: no name\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: \r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n",
        "GET http:// HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: localhost\r\n\r\n",
        "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\n\u{1}: b\r\n\r\n",
        "G\u{E9}T / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{fc}\u{3}\u{3}",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ])
    func malformedRequestsAreRefused(_ request: String) throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        let client = try RawClient(port: server.port)
        client.send(request + Self.smuggled)
        client.endSending()
        let response = String(decoding: try client.receiveAll(), as: UTF8.self)
        #expect(!response.contains(" 200 OK"), "\(response)")
        #expect(
            response.isEmpty || response.hasPrefix("HTTP/1.1 400 ") || response.hasPrefix("HTTP/1.1 505 "),
            "\(response)")
        #expect(response.components(separatedBy: "HTTP/1.1 ").count <= 2, "one response: \(response)")
        #expect(try server.exchange(Self.smuggled).hasPrefix("HTTP/1.1 200 OK"))
    }

    /// At once, though the client could go on sending.
    @Test(arguments: [("identity", 400), ("gzip", 400), ("chunked, chunked", 400), ("gzip, chunked", 501)])
    func otherTransferCodings(_ codings: String, _ status: Int) throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        let client = try RawClient(port: server.port)
        client.send("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: \(codings)\r\n\r\n")
        #expect(try client.receive { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 \(status) "))
    }

    @Test func connectionsThatCannotBeSetUpAreCounted() throws {
        struct NoSetUp: Error {}
        let sample = try ReplaySample()
        let lines = LogLines()
        let service = ReplayService(
            try ArchiveLibrary([sample.path]), logger: Logger(label: "test") { _ in lines })
        var options = ReplayServer.Options()
        options.port = 0
        options.setUp = { _ in throw NoSetUp() }
        let server = try ReplayServer(service, options: options)
        defer { server.stop(within: .zero) }
        for _ in 0..<3 { #expect(try RawClient(port: server.port).receiveAll().isEmpty) }
        #expect(waits { service.counters[.failedConnections] == 3 })
        #expect(lines.all.count == 1, "one line a minute: \(lines.all)")
        #expect(lines.all.first?.contains("NoSetUp") == true)
        #expect(service.counters.prometheusText.contains("\nwebarc_failed_connections_total 3\n"))
    }

    @Test func longHeadsAreRefused() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        let long = String(repeating: "a", count: 200_000)
        for request in [
            "GET /\(long) HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(long)\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\n\(long): x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "A: b\r\n", count: 5000) + "\r\n",
        ] {
            let response = try server.exchange(request)
            let isRefused = ["400", "414", "431"].contains { response.hasPrefix("HTTP/1.1 \($0) ") }
            #expect(isRefused || response.isEmpty, "\(response.prefix(100))")
        }
        #expect(try server.exchange(Self.smuggled).hasPrefix("HTTP/1.1 200 OK"))
    }

    /// No path leaves the archive, and an encoded slash is no slash.
    @Test(arguments: [
        "/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/.%00./x", "/%", "/%zz", "/\\..\\x",
        "//evil.example/", "/style.css%2f..", "/a%2fb",
    ])
    func pathsStayInside(_ path: String) throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        let response = try server.exchange("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(response.hasPrefix("HTTP/1.1 404 ") || response.hasPrefix("HTTP/1.1 400 "), "\(response.prefix(60))")
    }

    @Test func connectionsBeyondTheLimitAreClosed() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path]) { $0.maximumConnections = 3 }
        let clients = try (0..<3).map { _ in try RawClient(port: server.port) }
        for client in clients {
            client.send("GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.receive { $0.hasSuffix("}\n") }.hasPrefix("HTTP/1.1 200"))
        }
        let more = try RawClient(port: server.port)
        #expect(try more.receiveAll().isEmpty)
        #expect(server.service.counters[.refusedConnections] == 1)
        for client in clients {
            client.send("GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.receive { $0.hasSuffix("}\n") }.hasPrefix("HTTP/1.1 200"))
        }
    }

    private static var hasManyLoopbackAddresses: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    /// One address has three quarters of all connections, so that others stay served.
    @Test(.enabled(if: Self.hasManyLoopbackAddresses)) func connectionsOfOneAddress() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path]) { $0.maximumConnections = 4 }
        let clients = try (0..<3).map { _ in try RawClient(port: server.port) }
        for client in clients {
            client.send("GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.receive { $0.hasSuffix("}\n") }.hasPrefix("HTTP/1.1 200"))
        }
        #expect(try RawClient(port: server.port).receiveAll().isEmpty)
        #expect(server.service.counters[.refusedConnections] == 1)
        let other = try server.curl("--interface", "127.0.0.2", server.url("/style.css"))
        #expect(other.status == 0 && !other.output.isEmpty)
    }

    @Test func fiveHundredConnections() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        let clients = try (0..<500).map { _ in try RawClient(port: server.port) }
        for client in clients { client.send("GET /style.css HTT") }
        for client in clients { client.send("P/1.1\r\nHost: localhost\r\n\r\n") }
        for client in clients { #expect(try client.receive { $0.hasSuffix("}\n") }.hasPrefix("HTTP/1.1 200")) }
        #expect(server.service.counters[.openConnections] == 500)
    }

    /// A client that breaks off in the middle leaves nothing behind.
    @Test func halfRequestsAndHalfReadAnswers() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        for request in [
            "G", "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc",
        ] {
            let client = try RawClient(port: server.port)
            client.send(request)
            client.endSending()
            #expect(try !String(decoding: client.receiveAll(), as: UTF8.self).contains("200 OK"))
        }
        for _ in 0..<20 {
            let client = try RawClient(port: server.port)
            client.send("GET /film.webm HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try !client.receive(atMost: 100).isEmpty)
        }
        #expect(try server.exchange(Self.smuggled).hasPrefix("HTTP/1.1 200 OK"))
    }

    /// RFC 9112 section 9.6: what comes behind the last request is not answered, and takes no response away, however that is made.
    @Test(arguments: ["/", "/-/", "/film.webm"]) func bytesBehindTheLastRequest(path: String) throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        let response = try server.exchange(
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" + Self.smuggled)
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(response.prefix(200))")
        #expect(response.split(separator: "HTTP/1.1 200 OK").count == 1)
    }

    /// A body that breaks off takes nothing of the response before it away.
    @Test(arguments: ["/", "/-/", "/film.webm"]) func aBrokenBodyBehindARequest(path: String) throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let broken = "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n\r\n"
        func exchange(_ bytes: String) throws -> [UInt8] {
            let client = try RawClient(port: server.port)
            client.send(bytes)
            return Array(try client.receiveAll())
        }
        let whole = try exchange("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let content = whole[(try #require(whole.firstRange(of: Array("\r\n\r\n".utf8))).upperBound)...]
        let response = try exchange(request + broken)
        #expect(response.count >= content.count && response.suffix(content.count) == content)
    }
}
