// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveRecording

@Suite("Streams through a recording proxy")
struct StreamTests {
    private static let opening = """
        Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n
        """
    private static let switching = Array(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
            .utf8)

    /// The frames are those of RFC 6455 section 5.7, and one whose mask changes nothing.
    @Test func webSocketsPassAndAreRecorded() async throws {
        let hello: [UInt8] = [0x81, 0x05] + Array("Hello".utf8)
        let fragments: [UInt8] = [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]
        let origin = try RawOrigin { request in
            RawOrigin.Response([request.head.hasPrefix("GET") ? Self.switching + hello : fragments])
        }
        let recording = try await TestRecording.start()
        do {
            let client = try RawClient(port: recording.proxy.port)
            client.send("GET \(origin.url("/chat")) HTTP/1.1\r\nHost: a\r\n\(Self.opening)")
            let first = try client.receive { $0.hasSuffix("Hello") }
            #expect(
                first.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n") && first.contains("\r\nUpgrade: websocket\r\n"))
            client.send([0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
            client.send([0x82, 0x85, 0, 0, 0, 0] + Array("a\r\n\r\n".utf8))
            #expect(try client.receive(atMost: fragments.count) == fragments)
        }
        #expect(waits { recording.proxy.counts.exchanges == 1 })
        let sent = try #require(origin.requests.first)
        #expect(!sent.head.contains("Extensions"))
        #expect(try #require(origin.requests.last).head.hasSuffix("a\r\n\r\n"))
        let url = "ws://127.0.0.1:\(origin.port)/chat"
        let entry = try await recording.finish().response(url)
        #expect(try entry.response?.status == 101 && entry.response?.truncation == nil)
        let lines = try String(decoding: entry.body?.bytes() ?? [], as: UTF8.self).split(separator: "\n")
        let messages = try lines.map { line in
            let value = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            return [value["type"] as? String, (value["opcode"] as? Int).map(String.init), value["data"] as? String]
        }
        let expected = [
            ["receive", "1", "Hello"], ["send", "1", "Hello"], ["send", "2", "YQ0KDQo="], ["receive", "1", "Hello"],
        ]
        #expect(messages == expected)
    }

    /// A stream of events has no end but that of its client.
    @Test func eventsAreRecordedUpToTheEndOfTheClient() async throws {
        let event = "data: 1\n\n"
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        let gate = HTTPTestGate()
        let origin = try RawOrigin { _ in RawOrigin.Response([Array((head + event).utf8), []], gate: gate) }
        let recording = try await TestRecording.start()
        do {
            let client = try RawClient(port: recording.proxy.port)
            client.send("GET \(origin.url("/events")) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.receive { $0.contains("data: 1\n\n") }.contains("data: 1\n\n"))
        }
        #expect(waits { recording.proxy.counts.exchanges == 1 })
        let entry = try await recording.finish().response(origin.url("/events"))
        #expect(try String(decoding: entry.body?.bytes() ?? [], as: UTF8.self) == event)
        #expect(try entry.response?.truncation == "unspecified")
        gate.open()
    }

    @Test func framesMayComeByteByByte() {
        var frames = WebSocketFrames()
        let long = [UInt8](repeating: 9, count: 70_000)
        let bytes: [UInt8] =
            [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0x11, 0x70] + long + [0x89, 0x00] + [0x81, 0x7E, 0x00, 0x02, 0x68, 0x69]
        var found: [WebSocketFrames.Message] = []
        for byte in bytes { found += frames.add(.init(bytes: [byte])) }
        #expect(found.map(\.opcode) == [2, 9, 1])
        #expect(found.first?.data == long && found.last?.data == Array("hi".utf8))
    }

    /// A hostile sender takes no more memory than the limit of a message.
    @Test func longMessagesAreCut() {
        var frames = WebSocketFrames()
        _ = frames.add(.init(bytes: [0x82, 0x7F, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]))
        for _ in 0..<64 { #expect(frames.add(.init(bytes: [UInt8](repeating: 0, count: 1 << 16))).isEmpty) }
        var other = WebSocketFrames()
        _ = other.add(.init(bytes: [0x82, 0x7F, 0, 0, 0, 0, 0, 0x20, 0, 0]))
        let found = other.add(.init(bytes: [UInt8](repeating: 0, count: 2 << 20)))
        #expect(found.map(\.isCut) == [true] && found.first?.data.count == 1 << 20)
    }
}
