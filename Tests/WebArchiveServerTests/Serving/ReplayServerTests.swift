// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveServer

/// Over sockets, with curl as the client.
@Suite struct ReplayServerTests {
    @Test func curlGetsWhatIsStored() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        #expect(try Array(server.curl(server.url("/")).output) == ReplaySample.page)
        #expect(try Array(server.curl(server.url("/film.webm")).output) == ReplaySample.film)
        let part = try server.curl("--range", "262000-262300", server.url("/film.webm"))
        #expect(Array(part.output) == Array(ReplaySample.film[262_000...262_300]))
        let head = try server.curl("--head", server.url("/film.webm")).text
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(head.contains("\r\nContent-Length: 700000\r\n"))
        #expect(try server.curl("--location", server.url("/old")).output == Data(ReplaySample.page))
        let missing = try server.curl("--write-out", "%{http_code}", "--output", "/dev/null", server.url("/none"))
        #expect(missing.text == "404")
    }

    /// curl repeats the request with the tag that it got.
    @Test func curlKeepsWhatIsUnchanged() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        let tags = sample.folder.path("tags").string
        let arguments = [
            "--etag-save", tags, "--etag-compare", tags, "--write-out", "%{http_code}", "--output", "/dev/null",
        ]
        let results = try (0..<2).map { _ in
            try ExternalTool.run(["curl", "--silent", "--max-time", "60"] + arguments + [server.url("/style.css")]).text
        }
        #expect(results == ["200", "304"])
    }

    @Test func contentOfARequestIsLookedAt() throws {
        let sample = try ReplaySample { writer in
            for size in [3, 3_000_000] {
                let sent = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                try writer.add(
                    ArchiveRequest(method: "POST", url: "https://site.example/form"),
                    requestBody: writer.addBody(sent), response: ArchiveResponse(),
                    body: writer.addBody(Array("got \(size)".utf8)))
            }
        }
        let server = try TestServer([sample.path])
        for size in [3, 3_000_000] {
            let file = try sample.folder.write("sent", (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            for coding in ["Content-Type: a/b", "Transfer-Encoding: chunked"] {
                let response = try server.curl("--header", coding, "--data-binary", "@\(file)", server.url("/form"))
                #expect(response.text == "got \(size)", "\(coding)")
            }
        }
        let long = try sample.folder.write("long", Array(repeating: 1, count: (8 << 20) + 1))
        let refused = try server.curl(
            "--data-binary", "@\(long)", "--header", "Expect:", "--write-out", "%{http_code}", "--output", "/dev/null",
            server.url("/form"))
        #expect(refused.text == "413")
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        let paths = ["/", "/style.css", "/none", "/film.webm", "/style.css"]
        let requests = paths.enumerated().map { number, path in
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(number == paths.count - 1 ? "Connection: close\r\n" : "")\r\n"
        }
        let client = try RawClient(port: server.port)
        client.send(requests.joined())
        let response = try client.receiveAll()
        var rest = response[...]
        var bodies: [[UInt8]] = []
        while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            let length = try #require(head.split(separator: "Content-Length: ").last?.split(separator: "\r\n").first)
            let body = rest[end.upperBound...].prefix(try #require(Int(length)))
            bodies.append(Array(body))
            rest = rest[body.endIndex...]
        }
        #expect(bodies.count == paths.count)
        #expect(bodies[0] == ReplaySample.page)
        #expect(bodies[3] == ReplaySample.film)
        #expect(bodies[4] == ReplaySample.style)
        #expect(rest.isEmpty)
    }

    @Test func oldClients() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        let closed = try server.exchange("GET /style.css HTTP/1.0\r\n\r\n")
        #expect(
            closed.hasPrefix("HTTP/1.1 200 OK\r\n")
                && closed.hasSuffix(String(decoding: ReplaySample.style, as: UTF8.self)))
        #expect(closed.contains("\r\nConnection: close\r\n"))
        let kept = try server.exchange(
            "GET /style.css HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /style.css HTTP/1.0\r\n\r\n")
        #expect(kept.components(separatedBy: "HTTP/1.1 200 OK").count == 3)
        #expect(kept.contains("\r\nConnection: keep-alive\r\n"))
    }

    /// A client may have sent all that it wants to send, and still wait for the response.
    @Test func halfClosedConnections() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        for requests in [1, 3] {
            let client = try RawClient(port: server.port)
            client.send(String(repeating: "GET /film.webm HTTP/1.1\r\nHost: localhost\r\n\r\n", count: requests))
            client.endSending()
            #expect(try client.receiveAll().count > requests * ReplaySample.film.count)
        }
    }

    /// A body that is announced as too long is refused before it is sent.
    @Test func longContentIsRefusedAtOnce() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        let response = try server.exchange(
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8388609\r\nExpect: 100-continue\r\n\r\n")
        #expect(response.hasPrefix("HTTP/1.1 413 "))
        #expect(response.contains("\r\nConnection: close\r\n"))
    }

    /// If a block of a body is damaged, the bytes before it are right, and the connection ends.
    @Test func aDamagedBlockEndsTheConnection() throws {
        let sample = try ReplaySample()
        var bytes = try sample.folder.read("site.webarc")
        let place = try #require(bytes.firstRange(of: ReplaySample.film[600_000..<600_064]))
        bytes[place.lowerBound] ^= 1
        try sample.folder.write("site.webarc", bytes)
        let server = try TestServer([sample.path])
        let broken = try server.curl(server.url("/film.webm"))
        #expect(broken.status == 18, "curl's code for a transfer that ends early")
        #expect(broken.output.count > 0 && broken.output.count < 600_000)
        #expect(Array(broken.output) == Array(ReplaySample.film.prefix(broken.output.count)))
        #expect(try server.curl(server.url("/")).output == Data(ReplaySample.page))
        #expect(server.service.counters[.brokenOff] == 1)
    }

    @Test func accessLogIsInTheCombinedFormat() throws {
        let sample = try ReplaySample()
        let path = try sample.folder.write("log", [])
        let log = AccessLog(try FileDescriptor.open(path, .writeOnly))
        let server = try TestServer([sample.path], log: log)
        _ = try server.curl("--referer", "http://a/\u{e9}\"x", "--user-agent", "agent", server.url("/style.css"))
        _ = try server.curl("--head", server.url("/none"))
        log.flush()
        let lines = String(decoding: try sample.folder.read("log"), as: UTF8.self).split(separator: "\n")
        let date = #/\[\d\d/[A-Z][a-z][a-z]/\d{4}:\d\d:\d\d:\d\d \+0000\]/#
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(date) })
        #expect(
            lines.map { $0.replacing(date, with: "[]") } == [
                #"127.0.0.1 - - [] "GET /style.css HTTP/1.1" 200 17 "http://a/\xc3\xa9\"x" "agent""#,
                #"127.0.0.1 - - [] "HEAD /none HTTP/1.1" 404 - "-" "curl/\#(Self.curlVersion)""#,
            ])
    }

    /// A pipe whose reader takes nothing does not keep the server from its end.
    @Test func aFullPipeAsLogEndsTheWait() throws {
        let (reader, writer) = try FileDescriptor.pipe()
        defer {
            try? reader.close()
            try? writer.close()
        }
        let log = AccessLog(writer)
        // More than a pipe holds.
        for _ in 0..<40 { log.write(String(repeating: "x", count: 10_000)) }
        let before = ContinuousClock.now
        log.flush(within: .milliseconds(200))
        #expect(ContinuousClock.now - before >= .milliseconds(200))
        // The queue goes on when somebody reads.
        var taken = 0
        while taken < 400_040 {
            taken += try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { try reader.read(into: $0) }
        }
        log.flush()
    }

    private static let curlVersion: String = {
        let version = try? ExternalTool.run(["curl", "--version"]).text.split(separator: " ").dropFirst().first
        return version.map(String.init) ?? ""
    }()

    /// Connections that are accepted at the very end are closed as well, and none is left to an event loop that is gone.
    @Test func stopsWhileConnectionsCome() throws {
        let sample = try ReplaySample()
        for _ in 0..<20 {
            let server = try TestServer([sample.path])
            let port = server.port
            let clients = BackgroundThread {
                var clients: [RawClient] = []
                while clients.count < 200, let client = try? RawClient(port: port) { clients.append(client) }
                return clients.count
            }
            while server.service.counters[.connections] < 50 { sched_yield() }
            server.server.stop(within: .zero)
            #expect(server.service.counters[.openConnections] == 0)
            #expect(try clients.value() >= server.service.counters[.connections])
        }
    }

    // MARK: - The server's own pages

    @Test func ownPagesAreThereUnderOwnNamesOnly() throws {
        let sample = try ReplaySample()
        var options = ReplayService.Options()
        options.ownNames = ["kiosk.local"]
        let server = try TestServer([sample.path], options: options)
        func status(_ host: String, _ path: String) throws -> String {
            try server.curl(
                "--header", "Host: \(host)", "--write-out", "%{http_code}", "--output", "/dev/null", server.url(path)
            ).text
        }
        for host in [
            "localhost", "localhost:8080", "127.0.0.1:\(server.port)", "[::1]:80", "KIOSK.local",
        ] {
            #expect(try status(host, "/-/health") == "200", "\(host)")
            #expect(try status(host, "/-/") == "200", "\(host)")
        }
        // Only on the machine itself browsers tell for what they ask, and so keep the explorer from what is replayed.
        for host in ["192.168.0.9", "[2001:db8::1]:80"] {
            #expect(try status(host, "/-/health") == "200", "\(host)")
            #expect(try status(host, "/-/") == "421", "\(host)")
        }
        for host in ["evil.example", "localhost.evil.example", "1.2.3.4.evil.example", "kiosk.local.evil.example"] {
            for path in ["/-/health", "/-/metrics", "/-/"] {
                #expect(try status(host, path) == "421", "\(host) \(path)")
            }
        }
        options.hasServerPages = false
        let without = try TestServer([sample.path], options: options)
        #expect(
            try without.curl("--write-out", "%{http_code}", "--output", "/dev/null", without.url("/-/health")).text
                == "404")
    }

    @Test func metricsCount() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        _ = try server.curl(server.url("/style.css"), server.url("/none"), server.url("/old"))
        let text = try server.curl(server.url("/-/metrics")).text
        let samples = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        for line in [
            "webarc_http_requests_total{status=\"2xx\"} 1", "webarc_http_requests_total{status=\"3xx\"} 1",
            "webarc_http_requests_total{status=\"4xx\"} 1", "webarc_missing_total 1", "webarc_connections 1",
            "webarc_connections_total 2",
        ] {
            #expect(samples.contains(Substring(line)), "\(line)")
        }
    }

    /// Servers send names of files in any encoding; SwiftNIO sends UTF-8.
    @Test func aFieldThatIsNotUTF8() throws {
        let value = Array("attachment; filename=\"caf".utf8) + [0xE9] + Array(".txt\"".utf8)
        let sample = try ReplaySample { writer in
            let fields = HeaderFields([
                HeaderField(nameBytes: Array("Content-Disposition".utf8), valueBytes: value),
                HeaderField(name: "X-Name", value: "caf\u{E9} \u{FFFD}"),
            ])
            try writer.add(
                ArchiveRequest(url: "https://site.example/download"), response: ArchiveResponse(headers: fields),
                body: writer.addBody([1]))
        }
        let server = try TestServer([sample.path])
        let request = "GET /download HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for range in ["", "Range: bytes=0-0\r\n"] {
            let response = try server.exchange(request + range + "\r\n")
            #expect(response.contains("Content-Disposition: attachment; filename=\"caf\u{E9}.txt\"\r\n"), "\(response)")
            #expect(response.contains("X-Name: caf\u{E9} \u{FFFD}\r\n"), "\(response)")
        }
    }
}
