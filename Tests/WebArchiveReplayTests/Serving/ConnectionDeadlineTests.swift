// SPDX-License-Identifier: Apache-2.0

import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay

/// With a clock that stands still until it is moved.
@Suite struct ConnectionDeadlineTests {
    private let sample: ReplaySample
    private let channel: EmbeddedChannel

    init() throws {
        sample = try ReplaySample()
        let service = ReplayService(
            try ArchiveLibrary([sample.path]), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        channel = EmbeddedChannel()
        try ReplayPipeline(service: service, tunnels: nil).configureHTTP1(channel, ReplayConnection())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func send(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    private func wait(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    @Test func anIdleConnectionEnds() {
        wait(.seconds(59))
        #expect(channel.isActive)
        wait(.seconds(2))
        #expect(!channel.isActive)
    }

    @Test func aHeadThatComesByteByByteGainsNoTime() throws {
        for byte in "GET / HTTP/1.1\r\nHost: a\r\nX-Long: ".utf8 where channel.isActive {
            try send(String(UnicodeScalar(byte)))
            wait(.seconds(10))
        }
        #expect(!channel.isActive)
    }

    @Test func aBodyThatStopsEnds() throws {
        try send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
        wait(.seconds(59))
        #expect(channel.isActive)
        wait(.seconds(2))
        #expect(!channel.isActive)
    }

    @Test func eachRequestGivesNewTime() throws {
        for _ in 0..<5 {
            wait(.seconds(55))
            try send("GET /style.css HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(channel.isActive)
        }
        wait(.seconds(61))
        #expect(!channel.isActive)
    }

    @Test func aClientThatTakesNothingEnds() throws {
        channel.isWritable = false
        try send("GET /film.webm HTTP/1.1\r\nHost: a\r\n\r\n")
        wait(.seconds(59))
        #expect(channel.isActive)
        wait(.seconds(2))
        #expect(!channel.isActive)
    }

    @Test func aClientThatTakesSomethingGoesOn() throws {
        channel.isWritable = false
        try send("GET /film.webm HTTP/1.1\r\nHost: a\r\n\r\n")
        var received = 0
        func takeAll() throws {
            while let buffer = try channel.readOutbound(as: ByteBuffer.self) { received += buffer.readableBytes }
        }
        wait(.seconds(50))
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        try takeAll()
        wait(.seconds(50))
        #expect(channel.isActive)
        #expect(received > ReplaySample.film.count)
    }
}
