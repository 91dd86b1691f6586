// SPDX-License-Identifier: Apache-2.0

import Logging
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP1
import NIOHTTP2
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveServer

@Suite struct WellFormedRequestsTests {
    private let channel = EmbeddedChannel()
    private typealias Fields = [(String, String)]

    private static let right: Fields = [
        (":method", "GET"), (":scheme", "https"), (":path", "/a"), (":authority", "site.example"),
    ]

    init() throws {
        try channel.pipeline.syncOperations.addHandlers([WellFormedRequests(), HTTP2FramePayloadToHTTP1ServerCodec()])
    }

    private func send(_ fields: Fields, isEnd: Bool = false) throws {
        try channel.writeInbound(
            HTTP2Frame.FramePayload.headers(.init(headers: HPACKHeaders(fields), endStream: isEnd)))
    }

    private func send(content: String, isEnd: Bool = false) throws {
        try channel.writeInbound(
            HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(ByteBuffer(string: content)), endStream: isEnd)))
    }

    private func parts() throws -> [HTTPServerRequestPart] {
        var parts: [HTTPServerRequestPart] = []
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) { parts.append(part) }
        return parts
    }

    /// The code with which the stream was reset.
    private func resetCode() throws -> HTTP2ErrorCode? {
        guard case .rstStream(let code)? = try channel.readOutbound(as: HTTP2Frame.FramePayload.self) else {
            return nil
        }
        return code
    }

    private static func with(_ name: String, _ value: String) -> Fields {
        right.map { $0.0 == name ? (name, value) : $0 }
    }

    @Test(arguments: [
        with(":method", "G\u{315}\u{327}"), with(":method", "G T"), with(":method", ""), with(":method", "G,"),
        with(":path", "*\u{315}\u{327}"), with(":path", "/ü"), with(":path", "h\u{315}"), with(":path", ""),
        with(":path", "/a b"), with(":path", "/\u{7F}"), with(":scheme", "https\u{315}"),
        with(":scheme", "ftp"), with(":scheme", "httpss"), right + [("host", "other.example")],
        right + [("host", "site.example:444")], right + [("host", "")], right + [("host", "xsite.example")],
        right + [("host", "site.example"), ("host", "other.example")],
        with(":authority", "site.example\u{315}"), with(":authority", "a\r\nb"),
        right + [("te", "trailers\u{315}")], right + [("te", "gzip")], right + [("X-A", "1")],
        right + [("x\u{315}", "1")],
        right + [("", "1")], right + [("x", "a\nb")], right + [("x", "a\rb")], right + [("x", "a\u{0}b")],
        right + [("connection", "close")], right + [("transfer-encoding", "chunked")], right + [("upgrade", "h2c")],
        right + [("proxy-connection", "close")], right + [("keep-alive", "1")], right + [(":path", "/b")],
        right + [(":status", "200")], right + [(":protocol", "websocket")], right + [(":", "a")],
        right + [(":x\u{315}", "a")],
        [("x", "1")] + right, Array(right.dropLast()), Array(right.dropFirst()), [right[0], right[1], right[3]],
        [right[0], right[2], right[3]], [(":method", "CONNECT"), (":authority", "site.example:443")], [],
        right + [("content-length", "-1")], right + [("content-length", "1\u{315}")], right + [("content-length", "")],
        right + [("content-length", "1"), ("content-length", "2")],
        right + [("content-length", "99999999999999999999")],
    ]) func aMalformedHeadResetsTheStream(_ fields: [(String, String)]) throws {
        try send(fields)
        try send(content: "1", isEnd: true)
        #expect(try parts().isEmpty)
        #expect(try resetCode() == .protocolError)
        #expect(try resetCode() == nil)
    }

    @Test(
        arguments: [
            [], [("te", "trailers")], [("host", "site.example")], [("x", "ü\u{315}\u{327}")], [("content-length", "0")],
            [("content-length", "0"), ("content-length", "00")],
        ] as [[(String, String)]])
    func aRightHeadGoesOn(_ fields: [(String, String)]) throws {
        try send(Self.right + fields, isEnd: true)
        #expect(try resetCode() == nil)
        guard case .head(let head)? = try parts().first else {
            Issue.record("no head")
            return
        }
        #expect(head.method == .GET && head.uri == "/a" && head.headers["host"] == ["site.example"])
        for (name, value) in fields { #expect(head.headers[name].contains(value)) }
    }

    /// RFC 9113 section 8.3.1, and RFC 9110 section 4.2.3: case and the default port do not count.
    @Test(arguments: ["SITE.example", "site.example:443", "Site.Example:443"]) func aHostOfTheSameOriginGoesOn(
        _ host: String
    ) throws {
        try send(Self.right + [("host", host)], isEnd: true)
        #expect(try resetCode() == nil && parts().count == 2)
    }

    private static let upload = with(":method", "POST") + [("content-length", "3")]

    /// RFC 9113 section 8.1.1: the length of the content is that of the field.
    @Test(arguments: [["ab"], ["ab", "cd"], ["abc", "d"], []]) func contentOfAnotherLengthResetsTheStream(
        _ parts: [String]
    ) throws {
        try send(Self.upload, isEnd: parts.isEmpty)
        for (number, part) in parts.enumerated() { try send(content: part, isEnd: number == parts.count - 1) }
        #expect(try resetCode() == .protocolError)
        for case .end in try self.parts() { Issue.record("the request has an end") }
    }

    @Test func contentOfTheRightLengthGoesOn() throws {
        try send(Self.upload)
        try send(content: "ab")
        try send(content: "c")
        try send([("x-sum", "ü")], isEnd: true)
        #expect(try resetCode() == nil)
        #expect(try parts().count == 4)
    }

    @Test(arguments: [("x\u{315}", "1"), (":path", "/"), ("X", "1"), ("x", "a\nb")])
    func malformedTrailersResetTheStream(_ name: String, _ value: String) throws {
        try send(Self.right)
        try send([(name, value)], isEnd: true)
        #expect(try parts().count == 1)
        #expect(try resetCode() == .protocolError)
    }

    @Test func trailersBeforeTheContentIsWholeResetTheStream() throws {
        try send(Self.upload)
        try send(content: "ab")
        try send([("x", "1")], isEnd: true)
        #expect(try parts().count == 2)
        #expect(try resetCode() == .protocolError)
    }

    private func beginConnection() throws -> EmbeddedChannel {
        let sample = try ReplaySample()
        let service = ReplayService(
            try ArchiveLibrary([sample.path]), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let pipeline = ReplayPipeline(service: service, workers: FairScheduler(threads: 1), tunnels: nil)
        let channel = EmbeddedChannel()
        try pipeline.beginHTTP2(channel)
        return channel
    }

    private func output(_ channel: EmbeddedChannel) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
        return bytes
    }

    /// The frames of a whole connection: the stream is reset, and the one behind it is answered.
    @Test(arguments: [false, true]) func aConnectionGoesOnBehindAMalformedRequest(_ hasField: Bool) throws {
        let channel = try beginConnection()
        _ = try output(channel)
        let marks = String(repeating: "\u{315}\u{327}", count: 20)
        let field = [0x00] + HTTP2Bytes.text("te") + HTTP2Bytes.text(marks)
        try channel.writeInbound(
            ByteBuffer(
                bytes: hasField
                    ? HTTP2Bytes.request("/style.css", stream: 1, fields: field)
                    : HTTP2Bytes.request("/" + marks, stream: 1)))
        // RST_STREAM with PROTOCOL_ERROR, sections 6.4 and 7.
        #expect(try output(channel) == HTTP2Bytes.frame(3, stream: 1, [0, 0, 0, 1]))
        try channel.writeInbound(ByteBuffer(bytes: HTTP2Bytes.request("/style.css", stream: 3)))
        #expect(try output(channel).dropFirst(3).prefix(6) == [1, 4, 0, 0, 0, 3])
    }

    /// RFC 7541 section 6.1: one byte is a field of 4,000 bytes.
    @Test func aClientDoesNotMultiplyItsFields() throws {
        let channel = try beginConnection()
        // SETTINGS_MAX_HEADER_LIST_SIZE of 16 KiB, section 6.5.2.
        #expect(try output(channel).contains([0, 6, 0, 0, 0x40, 0]))
        // The client takes the settings.
        try channel.writeInbound(ByteBuffer(bytes: HTTP2Bytes.frame(4, flags: 1)))
        let long = HTTP2Bytes.keptField("x", String(repeating: "a", count: 4000))
        try channel.writeInbound(ByteBuffer(bytes: HTTP2Bytes.request("/style.css", stream: 1, fields: long)))
        try channel.writeInbound(
            ByteBuffer(bytes: HTTP2Bytes.request("/style.css", stream: 3, fields: [0xBE, 0xBE, 0xBE])))
        #expect(try output(channel).count > 0)
        #expect(channel.isActive)
        #expect(throws: (any Error).self) {
            try channel.writeInbound(
                ByteBuffer(
                    bytes: HTTP2Bytes.request("/style.css", stream: 5, fields: Array(repeating: 0xBE, count: 15))))
        }
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
    }
}
