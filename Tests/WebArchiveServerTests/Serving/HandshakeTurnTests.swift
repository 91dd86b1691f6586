// SPDX-License-Identifier: Apache-2.0

import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testing

@testable import WebArchiveServer

/// Tunnels of a proxy: their handshakes go in turn, and an address has so many of them.
@Suite struct HandshakeTurnTests {
    private let now = NIOLockedValueBox(NIODeadline.uptimeNanoseconds(1_000_000_000))
    private let loop = EmbeddedEventLoop()
    private let time: EventLoopQuota

    init() { time = EventLoopQuota { [now] in now.withLockedValue { $0 } } }

    private func advance(_ duration: TimeAmount) {
        now.withLockedValue { $0 = $0 + duration }
        loop.advanceTime(by: duration)
    }

    private func channel(_ turn: HandshakeTurn) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: turn, loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        return channel
    }

    @Test func aHandshakeWaitsBehindTheWorkOfItsAddress() throws {
        time.note("a", .milliseconds(100))
        let (busy, idle) = (
            try channel(HandshakeTurn(time, address: "a")), try channel(HandshakeTurn(time, address: "b"))
        )
        for channel in [busy, idle] { try channel.writeInbound(ByteBuffer(string: "hello")) }
        #expect(try idle.readInbound(as: ByteBuffer.self) == ByteBuffer(string: "hello"))
        #expect(try busy.readInbound(as: ByteBuffer.self) == nil)
        try busy.writeInbound(ByteBuffer(string: " world"))
        advance(.milliseconds(170))
        #expect(try busy.readInbound(as: ByteBuffer.self) == nil)
        advance(.milliseconds(20))
        #expect(try busy.readInbound(as: ByteBuffer.self) == ByteBuffer(string: "hello"))
        #expect(try busy.readInbound(as: ByteBuffer.self) == ByteBuffer(string: " world"))
    }

    @Test func afterTheHandshakeNothingWaits() throws {
        time.note("a", .milliseconds(100))
        let turn = HandshakeTurn(time, address: "a")
        turn.isDone = true
        let channel = try channel(turn)
        try channel.writeInbound(ByteBuffer(string: "hello"))
        #expect(try channel.readInbound(as: ByteBuffer.self) == ByteBuffer(string: "hello"))
    }

    @Test func anAddressHasSoManyTunnels() throws {
        let limit = TunnelLimit(most: 2)
        let channels = (0..<4).map { _ in EmbeddedChannel(loop: loop) }
        #expect(limit.open(channels[0], of: "a") && limit.open(channels[1], of: "a"))
        #expect(!limit.open(channels[2], of: "a"))
        #expect(limit.open(channels[2], of: "b"))
        _ = try channels[0].finish()
        #expect(limit.open(channels[3], of: "a"))
        #expect(!limit.open(channels[2], of: "a"))
    }
}
