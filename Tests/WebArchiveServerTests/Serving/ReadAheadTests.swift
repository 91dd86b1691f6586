// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import WebArchiveServer

@Suite struct ReadAheadTests {
    /// A handler that reads no bytes while it is closed, as that of pipelined requests does after an unsent response.
    private final class Gate: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundIn = ByteBuffer

        var isShut = false
        /// Shuts the gate behind so many bytes more.
        var shutsBehind = Int.max
        var bytes: [UInt8] = []
        var pieces = 0
        var hasEnded = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let new = Array(unwrapInboundIn(data).readableBytesView)
            bytes += new
            pieces += 1
            shutsBehind -= new.count
            if shutsBehind <= 0 { isShut = true }
        }

        func read(context: ChannelHandlerContext) {
            if !isShut { context.read() }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .inputClosed? = event as? ChannelEvent { hasEnded = true }
        }
    }

    private let channel = EmbeddedChannel()
    private let gate = Gate()

    init() throws { try channel.pipeline.syncOperations.addHandlers([ReadAhead(), gate]) }

    /// Has bytes come, and the channel ask for more, as one does that reads by itself.
    private func receive(_ bytes: [UInt8]) throws {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        channel.read()
    }

    private func open() {
        gate.isShut = false
        gate.shutsBehind = .max
        channel.read()
    }

    @Test func bytesThatAreWantedPass() throws {
        try receive([1, 2])
        try receive([3])
        #expect(gate.bytes == [1, 2, 3])
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(gate.hasEnded)
        _ = try channel.finish()
    }

    /// As when the client ends its side: all that it sent comes at once.
    @Test func bytesThatNobodyAskedForWaitWithTheEndBehindThem() throws {
        gate.isShut = true
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
        try receive([0])
        for start in stride(from: 0, to: bytes.count, by: 1_000) { try receive(Array(bytes[start..<start + 1_000])) }
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(gate.bytes == [0] && !gate.hasEnded)
        open()
        #expect(gate.bytes == [0] + bytes && gate.hasEnded)
        #expect(gate.pieces == 4)
        _ = try channel.finish()
    }

    /// A handler that shuts again gets no more than one piece.
    @Test func heldBytesGoOnAsTheyAreAskedFor() throws {
        gate.isShut = true
        try receive([])
        try receive([UInt8](repeating: 7, count: 9_000))
        gate.isShut = false
        gate.shutsBehind = 1
        channel.read()
        #expect(gate.bytes.count == ReadAhead.pieceLength)
        // Later bytes stay behind the held ones.
        try receive([8])
        open()
        #expect(gate.bytes == [UInt8](repeating: 7, count: 9_000) + [8])
        try receive([9])
        #expect(gate.bytes.last == 9)
        _ = try channel.finish()
    }

    /// RFC 9112 section 2.2: a client may leave out CR.
    @Test(arguments: ["\r\n", "\n"]) func requestsPassOneAtATime(_ newLine: String) throws {
        let request = Array(["GET / HTTP/1.1", "Host: a", "", ""].joined(separator: newLine).utf8)
        gate.shutsBehind = 1
        // In two reads, the end of one request in the second.
        let all = [[UInt8]](repeating: request, count: 9).flatMap(\.self)
        try receive(Array(all[..<100]))
        try receive(Array(all[100...]))
        for count in 1...8 {
            #expect(gate.bytes == Array(all.prefix(count * request.count)))
            gate.shutsBehind = 1
            gate.isShut = false
            channel.read()
        }
        open()
        #expect(gate.bytes == all)
        _ = try channel.finish()
    }

    /// A channel may deliver bytes more than once before it pauses, as TLS does.
    @Test func severalReadsWithoutAPauseAreNoMoreThanARequest() throws {
        let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        for _ in 0..<3 { channel.pipeline.fireChannelRead(ByteBuffer(bytes: request)) }
        #expect(gate.bytes == request)
        channel.pipeline.fireChannelReadComplete()
        channel.read()
        #expect(gate.bytes == request + request + request)
        _ = try channel.finish()
    }

    /// Content of empty lines costs no more than requests of the same length.
    @Test func emptyLinesInContentAreFewPieces() throws {
        let content = [UInt8](repeating: UInt8(ascii: "\n"), count: 1600)
        try receive(content)
        #expect(gate.bytes == content)
        #expect(gate.pieces == 100)
        _ = try channel.finish()
    }

    /// Counts the requests that have been parsed.
    private final class HeadCounter: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart

        var count = 0

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .head = unwrapInboundIn(data) { count += 1 }
            context.fireChannelRead(data)
        }
    }

    /// The requests behind one whose response waits stay bytes, in a tunnel of TLS as well.
    @Test(arguments: [nil, "site.example"]) func requestsThatWaitAreNotParsed(tunnel: String?) throws {
        let sample = try ReplaySample()
        let pipeline = ReplayPipeline(
            service: try TestServer([sample.path]).service,
            workers: FairScheduler(threads: 1, loopTime: .still), tunnels: nil)
        let (channel, counter) = (EmbeddedChannel(), HeadCounter())
        try pipeline.configureHTTP1(channel, ReplayConnection(tunnel: tunnel))
        let decoder = try channel.pipeline.syncOperations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try channel.pipeline.syncOperations.addHandler(counter, position: .after(decoder))
        channel.isWritable = false
        let request = "GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n"
        try channel.writeInbound(ByteBuffer(string: String(repeating: request, count: 100)))
        channel.read()
        #expect(counter.count == 1)
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.run()
        channel.read()
        #expect(counter.count == 100)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func noMoreIsHeldThanTheLimit() throws {
        gate.isShut = true
        try receive([])
        for _ in 0..<1_000 { try receive([UInt8](repeating: 7, count: 4_096)) }
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        open()
        #expect(gate.bytes.count == ReadAhead.limit && gate.hasEnded)
        _ = try channel.finish()
    }

    /// Requests behind one whose response waits, from a client that sends no more: each is answered.
    @Test func requestsBeforeTheEndAreAnswered() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        let client = try RawClient(port: server.port, receiveBuffer: 4_096)
        let request = { (path: String) in "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n" }
        client.send(request("/film.webm") + String(repeating: request("/style.css"), count: 1_000))
        client.endSending()
        let text = String(decoding: try client.receiveAll(), as: UTF8.self)
        #expect(text.components(separatedBy: "HTTP/1.1 200 OK\r\n").count == 1_002)
    }
}
