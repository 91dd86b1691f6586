// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveRecording

@Suite("Recorded wholes")
struct RecordedWholeTests {
    private static let long = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

    private static func ok(_ body: [UInt8], _ fields: String = "") -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\(fields)\r\n".utf8) + body
    }

    /// A client goes away in the middle of a body, which is recorded as a whole.
    @Test func abortedDownloadsAreFinished() async throws {
        let gate = HTTPTestGate()
        let message = Self.ok(Self.long)
        let origin = try RawOrigin { _ in
            RawOrigin.Response([Array(message[..<100_000]), Array(message[100_000...])], gate: gate)
        }
        let recording = try await TestRecording.start()
        do {
            let client = try RawClient(port: recording.proxy.port)
            client.send("GET \(origin.url("/long")) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.receive().count > 0)
        }
        gate.open()
        #expect(waits { recording.proxy.counts.exchanges == 1 })
        let entry = try await recording.finish().response(origin.url("/long"))
        #expect(try entry.receivedBytes == message)
        #expect(try entry.response?.truncation == nil)
    }

    /// A client reads nothing of a long body: neither the proxy nor its archive takes all of it meanwhile.
    @Test func slowClientsHoldUpTheOrigin() async throws {
        let origin = try RawOrigin { _ in
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(256 << 20)\r\n\r\n".utf8)
            return RawOrigin.Response([head] + Array(repeating: piece, count: 256))
        }
        let recording = try await TestRecording.start { $0.maximumDetachedTime = .milliseconds(1) }
        let client = try RawClient(port: recording.proxy.port, receiveBuffer: 4096)
        client.send("GET \(origin.url("/film")) HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try client.receive()
        // Other requests are served meanwhile, and show that time has gone by.
        for _ in 0..<20 { _ = try recording.curl("--head", origin.url("/film")) }
        #expect(try #require(origin.sent(for: "/film").first).count < 64 << 20)
        _ = try await recording.proxy.shutdown(within: .zero)
    }

    @Test func rangesLeadToOneWholeLoad() async throws {
        let origin = try RawOrigin { request in
            guard request.head.contains("Range: bytes=") else { return RawOrigin.Response([Self.ok(Self.long)]) }
            return RawOrigin.Response(
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/3000000\r\nContent-Length: 4\r\n\r\nabcd")
        }
        let recording = try await TestRecording.start()
        for _ in 0..<3 {
            #expect(try recording.curl("--range", "0-3", origin.url("/film")).text == "abcd")
        }
        #expect(waits { recording.proxy.counts.exchanges == 1 })
        #expect(try recording.curl("--range", "0-3", origin.url("/film")).text == "abcd")
        #expect(origin.requests.count { !$0.head.contains("Range:") } == 1)
        let archive = try await recording.finish()
        #expect(try archive.response(origin.url("/film")).receivedBytes == Self.ok(Self.long))
        #expect(archive.entryCount == 1)
    }

    @Test func rangesAreKeptWithoutAWhole() async throws {
        let origin = try RawOrigin { request in
            RawOrigin.Response(
                request.head.contains("Range:")
                    ? "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/9\r\nContent-Length: 4\r\n\r\nabcd"
                    : "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        }
        let recording = try await TestRecording.start()
        #expect(try recording.curl("--range", "0-3", origin.url("/film")).text == "abcd")
        #expect(waits { recording.proxy.counts.exchanges == 1 })
        let archive = try await recording.finish()
        #expect(archive.entryCount == 1)
        #expect(try archive.response(origin.url("/film")).response?.status == 206)
    }

    /// A client may validate the response that the archive holds, and no other one.
    @Test func conditionsPassForHeldBodiesOnly() async throws {
        let origin = try RawOrigin { request in
            RawOrigin.Response(
                request.head.contains("If-None-Match: \"a\"")
                    ? "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n"
                    : "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 2\r\n\r\nok")
        }
        let recording = try await TestRecording.start()
        let url = origin.url("/a")
        for (tag, status) in [("a", "200"), ("a", "304"), ("b", "200")] {
            let arguments = [
                "--header", "If-None-Match: \"\(tag)\"", "--output", "/dev/null", "--write-out", "%{http_code}", url,
            ]
            #expect(try recording.curl(arguments).text == status, "\(tag)")
        }
        #expect(origin.requests.map { $0.head.contains("If-None-Match") } == [false, true, false])
        let archive = try await recording.finish()
        #expect(archive.entryCount == 2)
        #expect(try archive.text(url) == "ok")
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n5\r\n",
    ])
    func earlyEndsAreMarked(_ message: String) async throws {
        let origin = try RawOrigin { _ in RawOrigin.Response(message, closes: true) }
        let recording = try await TestRecording.start()
        let result = try recording.curl(origin.url("/a"))
        // The client learns it as well.
        #expect(result.status != 0 && result.text == "half")
        let entry = try await recording.finish().response(origin.url("/a"))
        #expect(try entry.response?.truncation == "disconnect")
        #expect(try String(decoding: entry.body?.bytes() ?? [], as: UTF8.self) == "half")
        #expect(try entry.receivedBytes == Array(message.utf8))
    }

    @Test func longBodiesEndAtTheLimit() async throws {
        let origin = try RawOrigin { _ in RawOrigin.Response([Self.ok(Self.long)]) }
        let recording = try await TestRecording.start { $0.maximumBodyLength = 1_000_000 }
        #expect(try Array(recording.curl(origin.url("/a")).output) == Self.long)
        let entry = try await recording.finish().response(origin.url("/a"))
        #expect(try entry.response?.truncation == "length")
        #expect(try entry.body?.bytes() == Array(Self.long[..<1_000_000]))
    }

    @Test func aFullArchiveIsForwardedPast() async throws {
        let origin = try RawOrigin { _ in RawOrigin.Response([Self.ok(Self.long)]) }
        let recording = try await TestRecording.start {
            $0.maximumArchiveLength = 4_000_000
        }
        for path in ["/a", "/b", "/c"] {
            #expect(try Array(recording.curl(origin.url(path)).output) == Self.long)
        }
        let archive = try await recording.finish()
        #expect(archive.entryCount == 1)
        #expect(recording.proxy.counts.dropped == 2)
    }

    /// An idle connection that the origin closes is replaced, and no request fails for it.
    @Test func idleConnectionsAreUsedAgain() async throws {
        let origin = try RawOrigin { request in
            RawOrigin.Response([Self.ok(Array("ok".utf8))], closes: request.target == "/last")
        }
        let recording = try await TestRecording.start { $0.threads = 1 }
        for path in ["/a", "/b", "/last", "/c"] { #expect(try recording.curl(origin.url(path)).text == "ok") }
        #expect(origin.requests.map(\.connection) == [0, 0, 0, 1])
        try await recording.proxy.shutdown()
    }
}
