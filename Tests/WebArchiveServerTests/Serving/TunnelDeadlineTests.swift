// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveServer

/// The ways to hold a connection in a tunnel, with a clock that stands still until it is moved.
@Suite struct TunnelDeadlineTests {
    private let sample: ReplaySample
    private let pipeline: ReplayPipeline
    private let channel = EmbeddedChannel()

    init() throws {
        sample = try ReplaySample {
            try ReplaySample.add("https://site.example/frames", "application/octet-stream", Self.goAway, $0)
        }
        let service = ReplayService(
            try ArchiveLibrary([sample.path]), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let tunnels = try TunnelCertificates(DeviceAuthority(hosts: ["site.example"], device: "test", now: Date()))
        pipeline = ReplayPipeline(
            service: service, workers: FairScheduler(threads: 1, loopTime: .still), tunnels: tunnels)
    }

    private func wait(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    private func connect() throws { try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait() }

    private func send(_ bytes: [UInt8]) throws {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        // As a channel does that reads by itself.
        channel.read()
    }

    /// The head of a long TLS record, and then a byte now and then.
    @Test func aTrickledHandshakeEnds() throws {
        try pipeline.configureHTTP1(channel, ReplayConnection())
        try connect()
        try send(Array("CONNECT site.example:443 HTTP/1.1\r\nHost: site.example:443\r\n\r\n".utf8))
        for byte in [0x16, 3, 1, 2, 0, 1, 0, 1] as [UInt8] where channel.isActive {
            try send([byte])
            wait(.seconds(10))
        }
        #expect(!channel.isActive)
    }

    private func beginHTTP2() throws { try pipeline.beginHTTP2(channel) }

    private func takeAll() throws -> Int {
        var count = 0
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) { count += buffer.readableBytes }
        return count
    }

    /// RFC 9113 section 5.4.1. Bytes after the error must not be kept.
    @Test(arguments: ["SETTINGS of a stream", "DATA that is too long", "many PINGs", "many SETTINGS"])
    func aConnectionErrorEndsTheConnection(_ kind: String) throws {
        try beginHTTP2()
        let ping = HTTP2Bytes.frame(6, Array(repeating: 0, count: 8))
        let bytes: [UInt8] =
            switch kind {
            case "SETTINGS of a stream": HTTP2Bytes.frame(4, stream: 1)
            case "DATA that is too long": [0, 0x4E, 0x20, 0, 0, 0, 0, 0, 1]
            case "many PINGs": Array(repeatElement(ping, count: 300).joined())
            default: Array(repeatElement(HTTP2Bytes.frame(4), count: 300).joined())
            }
        #expect(throws: (any Error).self) { try send(bytes) }
        #expect(try takeAll() > 0)
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
    }

    /// GOAWAY with an error, as the frame of section 6.8.
    private static let goAway: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]

    /// Neither does the end of a stream, nor a body that looks like such a frame.
    @Test func theConnectionStaysAfterStreams() throws {
        try beginHTTP2()
        try send(HTTP2Bytes.request("/frames", stream: 1))
        #expect(try takeAll() > Self.goAway.count)
        try send(HTTP2Bytes.request("/film.webm", stream: 3))
        try send(HTTP2Bytes.frame(3, stream: 3, [0, 0, 0, 8]))
        channel.embeddedEventLoop.run()
        #expect(channel.isActive)
        try send(HTTP2Bytes.request("/style.css", stream: 5))
        #expect(try takeAll() > 0)
    }

    @Test(arguments: ["PING", "SETTINGS", "WINDOW_UPDATE", "after GOAWAY"])
    func framesThatAreNoRequestsGainNoTime(_ kind: String) throws {
        try beginHTTP2()
        if kind == "after GOAWAY" { try send(HTTP2Bytes.frame(7, Array(repeating: 0, count: 8))) }
        let bytes =
            switch kind {
            case "SETTINGS": HTTP2Bytes.frame(4)
            case "WINDOW_UPDATE": HTTP2Bytes.frame(8, [0, 0, 0, 1])
            default: HTTP2Bytes.frame(6, Array(repeating: 1, count: 8))
            }
        for _ in 0..<20 where channel.isActive {
            wait(.seconds(10))
            if channel.isActive { try send(bytes) }
        }
        #expect(!channel.isActive)
    }

    @Test func eachRequestGivesNewTime() throws {
        try beginHTTP2()
        for number in 0..<5 as Range<UInt8> {
            wait(.seconds(55))
            try send(HTTP2Bytes.request("/style.css", stream: 2 * number + 1))
            #expect(channel.isActive)
            #expect(try takeAll() > 0)
        }
        wait(.seconds(59))
        #expect(channel.isActive)
        wait(.seconds(2))
        #expect(!channel.isActive)
    }

    /// Its stream's window is used up, and no ping opens it.
    @Test func aStreamOfWhichNothingIsTakenEnds() throws {
        try beginHTTP2()
        try send(HTTP2Bytes.request("/film.webm", stream: 1))
        for _ in 0..<20 where channel.isActive {
            wait(.seconds(10))
            if channel.isActive { try send(HTTP2Bytes.frame(6, Array(repeating: 1, count: 8))) }
        }
        #expect(!channel.isActive)
    }

    /// Those that the library under it does not count.
    @Test(arguments: [UInt8(8), 250]) func aFloodOfOtherFramesEndsTheConnection(_ type: UInt8) throws {
        try beginHTTP2()
        try send(HTTP2Bytes.request("/style.css", stream: 1))
        let frames = Array(repeatElement(HTTP2Bytes.frame(type, [0, 0, 0, 1]), count: 500).joined())
        for _ in 0..<20 where channel.isActive {
            try send(frames)
            channel.embeddedEventLoop.run()
        }
        #expect(!channel.isActive)
    }

    /// RFC 9113 section 6.9.2: windows of 512 bytes, each opened again when its bytes have come.
    @Test func aClientWithSmallWindowsGetsAll() throws {
        try beginHTTP2()
        try send(HTTP2Bytes.frame(4, [0, 4, 0, 0, 2, 0]))
        try send(HTTP2Bytes.request("/film.webm", stream: 1))
        var (bytes, length) = ([UInt8](), 0)
        while channel.isActive, length < ReplaySample.film.count {
            channel.embeddedEventLoop.run()
            var hasCome = false
            while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
                bytes += buffer.readableBytesView
                hasCome = true
            }
            try #require(hasCome, "it stopped at \(length)")
            while bytes.count >= 9 {
                let count = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
                guard bytes.count >= 9 + count else { break }
                if bytes[3] == 0, count > 0 {
                    length += count
                    let window = [0, 0, UInt8(count >> 8), UInt8(count & 255)]
                    try send(HTTP2Bytes.frame(8, window) + HTTP2Bytes.frame(8, stream: 1, window))
                }
                bytes.removeFirst(9 + count)
            }
        }
        #expect(length == ReplaySample.film.count && channel.isActive)
    }
}
