// SPDX-License-Identifier: Apache-2.0

import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testing

@testable import WebArchiveServer

/// Connections whose bytes are read in turn, and tunnels, of which an address has so many.
@Suite struct ReadTurnTests {
    private let now = NIOLockedValueBox(NIODeadline.uptimeNanoseconds(1_000_000_000))
    private let loop = EmbeddedEventLoop()
    private let time: EventLoopQuota

    init() { time = EventLoopQuota { [now] in now.withLockedValue { $0 } } }

    private func advance(_ duration: TimeAmount) {
        now.withLockedValue { $0 = $0 + duration }
        loop.advanceTime(by: duration)
    }

    private func channel(_ turn: ReadTurn) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: turn, loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        return channel
    }

    @Test func bytesWaitBehindTheWorkOfTheirAddress() throws {
        time.note("a", .milliseconds(100))
        let (busy, idle) = (
            try channel(ReadTurn(time, address: "a")), try channel(ReadTurn(time, address: "b"))
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

    /// A request comes in one segment with the end of the handshake: a later handler passes on its head, and holds the rest.
    @Test func laterHandlersReadOnAfterTheTurn() throws {
        time.note("a", .milliseconds(100))
        let channel = try channel(ReadTurn(time, address: "a"))
        try channel.pipeline.syncOperations.addHandler(ReadAhead())
        let parts = ["POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n", "q=1"]
        try channel.writeInbound(ByteBuffer(string: parts.joined()))
        channel.read()
        advance(.milliseconds(200))
        for part in parts { #expect(try channel.readInbound(as: ByteBuffer.self) == ByteBuffer(string: part)) }
    }

    @Test func theEndOfTheClientsSideWaitsBehindItsBytes() throws {
        time.note("a", .milliseconds(100))
        let order = ArrivalOrder()
        let channel = try channel(ReadTurn(time, address: "a"))
        try channel.pipeline.syncOperations.addHandler(order)
        try channel.writeInbound(ByteBuffer(string: "hello"))
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(order.arrived.isEmpty)
        advance(.milliseconds(200))
        #expect(order.arrived == ["hello", "end"])
    }

    /// Content in small pieces takes long to read; a handshake counts however short it is.
    @Test(arguments: [
        (duration: TimeAmount.microseconds(150), isHandshake: false, delay: TimeAmount.zero),
        (.milliseconds(30), false, .milliseconds(40)), (.microseconds(150), true, .zero),
        (.milliseconds(30), true, .milliseconds(40)),
    ])
    func readingIsCharged(_ example: (duration: TimeAmount, isHandshake: Bool, delay: TimeAmount)) throws {
        let turn = ReadTurn(time, address: "a")
        turn.isHandshake = example.isHandshake
        let channel = try channel(turn)
        try channel.pipeline.syncOperations.addHandler(
            Work { [now] in now.withLockedValue { $0 = $0 + example.duration } })
        try channel.writeInbound(ByteBuffer(string: "hello"))
        #expect(time.delay("a") == example.delay)
        // Three hundred short pieces of a handshake are more than the burst.
        for _ in 0..<300 { try channel.writeInbound(ByteBuffer(string: "hello")) }
        #expect((time.delay("a") > .zero) == (example.isHandshake || example.delay > .zero))
    }

    /// SwiftNIO reads to the end at once when the client ends its side.
    @Test func readsThatWaitComeOneByOne() throws {
        time.note("a", .milliseconds(100))
        let channel = try channel(ReadTurn(time, address: "a"))
        try channel.pipeline.syncOperations.addHandler(
            Work { [now] in now.withLockedValue { $0 = $0 + .milliseconds(50) } })
        for _ in 0..<3 { try channel.writeInbound(ByteBuffer(string: "hello")) }
        var count = 0
        for _ in 0..<40 {
            advance(.milliseconds(10))
            let before = count
            while try channel.readInbound(as: ByteBuffer.self) != nil { count += 1 }
            #expect(count - before <= 1)
        }
        #expect(count == 3)
    }

    @Test func fewBytesWait() throws {
        time.note("a", .milliseconds(100))
        let channel = try channel(ReadTurn(time, address: "a"))
        for _ in 0..<100 { try channel.writeInbound(ByteBuffer(repeating: 1, count: 4096)) }
        advance(.seconds(1))
        var length = 0
        while let bytes = try channel.readInbound(as: ByteBuffer.self) { length += bytes.readableBytes }
        #expect(length == 64 << 10)
    }

    @Test func theWorkOfRequestsIsNotChargedTwice() throws {
        let accounted = AccountedTime()
        let channel = try channel(ReadTurn(time, address: "a", accounted))
        try channel.pipeline.syncOperations.addHandler(
            Work { [now] in
                accounted.add(.milliseconds(50))
                now.withLockedValue { $0 = $0 + .milliseconds(50) }
            })
        try channel.writeInbound(ByteBuffer(string: "hello"))
        #expect(time.delay("a") == .zero)
    }

    @Test func anAddressHasSoManyTunnels() throws {
        let limit = ClientChannelLimit(2)
        let channels = (0..<4).map { _ in EmbeddedChannel(loop: loop) }
        #expect(limit.open(channels[0], of: "a") && limit.open(channels[1], of: "a"))
        #expect(!limit.open(channels[2], of: "a"))
        #expect(limit.open(channels[2], of: "b"))
        _ = try channels[0].finish()
        #expect(limit.open(channels[3], of: "a"))
        #expect(!limit.open(channels[2], of: "a"))
    }
}

/// The order in which bytes and the end of the client's side arrive.
private final class ArrivalOrder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    var arrived: [String] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        arrived.append(String(buffer: unwrapInboundIn(data)))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { arrived.append("end") }
    }
}

/// Work that takes a time by the clock of the test.
private final class Work: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let work: () -> Void

    init(_ work: @escaping () -> Void) { self.work = work }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        work()
        context.fireChannelRead(data)
    }
}
