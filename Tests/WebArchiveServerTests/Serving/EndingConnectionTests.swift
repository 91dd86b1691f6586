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

/// Connections end when they should, and not before all that was answered has left.
@Suite struct EndingConnectionTests {
    private let sample: ReplaySample

    init() throws { sample = try ReplaySample() }

    /// The body behind the head of a response.
    private func body(_ response: [UInt8]) -> ArraySlice<UInt8> {
        response.firstRange(of: Array("\r\n\r\n".utf8)).map { response[$0.upperBound...] } ?? []
    }

    /// A client that has requested much, has taken nothing of it, and whose whole response the server has written.
    private func waitingClient(_ server: TestServer) throws -> RawClient {
        let client = try RawClient(port: server.port, receiveBuffer: 4096)
        client.send("GET /film.webm HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-449999\r\n\r\n")
        try #require(waits { server.service.counters[.successful] == 1 })
        return client
    }

    @Test func aClientThatHalfClosesGetsAllOfItsAnswer() throws {
        let server = try TestServer([sample.path])
        let client = try waitingClient(server)
        client.endSending()
        // The end has come to the server before anything is taken.
        #expect(try TestServer([sample.path]).curl("http://127.0.0.1:\(server.port)/").status == 0)
        #expect(try body(client.receiveAll()).elementsEqual(ReplaySample.film[..<450_000]))
    }

    @Test func aServerThatIsStoppedSendsTheRestFirst() throws {
        let server = try TestServer([sample.path])
        let client = try waitingClient(server)
        let stopped = BackgroundThread { server.server.stop(within: .seconds(60)) }
        #expect(try body(client.receiveAll()).elementsEqual(ReplaySample.film[..<450_000]))
        try stopped.value()
        #expect(server.service.counters[.openConnections] == 0)
    }

    @Test(arguments: ["h2c", "websocket"])
    func aRequestForADifferentProtocolGetsAResponseAndIsTheLastOne(_ name: String) throws {
        let server = try TestServer([sample.path])
        let request = "GET /style.css HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: \(name)\r\n\r\n"
        let response = try server.exchange(request + request)
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n") && response.contains("\r\nConnection: close\r\n"))
    }

    // MARK: - Behind TLS

    private func tunnel(_ state: TunnelHandler.State, onFailure: @escaping () -> Void = {}) throws -> (
        TunnelHandler, EmbeddedChannel
    ) {
        let handler = TunnelHandler(ConnectionDeadline(.told), onFailure: onFailure)
        handler.begin(state)
        let channel = EmbeddedChannel(handler: handler)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return (handler, channel)
    }

    @Test func withHTTP2AConnectionEndsAfterItsLastStream() throws {
        let (handler, channel) = try tunnel(.streams(0))
        let streams = [
            EmbeddedChannel(loop: channel.embeddedEventLoop), EmbeddedChannel(loop: channel.embeddedEventLoop),
        ]
        for stream in streams {
            try stream.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            handler.count(stream)
        }
        channel.pipeline.fireUserInboundEventTriggered(ConnectionShouldEnd())
        #expect(channel.isActive)
        try streams[0].close().wait()
        channel.embeddedEventLoop.run()
        #expect(channel.isActive)
        try streams[1].close().wait()
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
    }

    @Test func anIdleOneEndsAtOnceAndSoDoesOneWhoseClientHasGone() throws {
        for state in [TunnelHandler.State.handshake, .streams(0)] {
            let (_, channel) = try tunnel(state)
            channel.pipeline.fireUserInboundEventTriggered(ConnectionShouldEnd())
            #expect(!channel.isActive)
        }
        let (_, channel) = try tunnel(.streams(3))
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!channel.isActive)
        let (_, other) = try tunnel(.requests)
        other.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(other.isActive)
    }

    @Test func aFailedTLSHandshakeIsReportedOnce() throws {
        var failures = 0
        let (_, channel) = try tunnel(.handshake) { failures += 1 }
        channel.pipeline.fireErrorCaught(CancellationError())
        #expect(failures == 1 && !channel.isActive)
    }

    // MARK: - Memory

    /// Keeps what is written until it is released, as a client does that takes nothing.
    private final class Stopper: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        private var held: [(NIOAny, EventLoopPromise<Void>?)] = []
        private var isOpen = false

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if isOpen { context.write(data, promise: promise) } else { held.append((data, promise)) }
        }

        func release(_ context: ChannelHandlerContext) {
            isOpen = true
            for (data, promise) in held { context.write(data, promise: promise) }
            held = []
            context.flush()
        }
    }

    @Test func pendingDataOfAClientAreBoundedAndOthersDoNotWaitForThem() throws {
        var options = ReplayService.Options()
        options.maximumUnsentLength = 1
        let service = ReplayService(
            try ArchiveLibrary([sample.path]), options: options,
            logger: .init(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let loop = EmbeddedEventLoop()
        func client(_ handlers: [any ChannelHandler], _ path: String) throws -> EmbeddedChannel {
            let channel = EmbeddedChannel(handlers: handlers, loop: loop)
            try ReplayPipeline(service: service, workers: FairScheduler(threads: 1, loopTime: .still), tunnels: nil)
                .configureHTTP1(
                    channel, ReplayConnection())
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            try channel.writeInbound(ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            return channel
        }
        func received(_ channel: EmbeddedChannel) throws -> Int {
            var count = 0
            while let buffer = try channel.readOutbound(as: ByteBuffer.self) { count += buffer.readableBytes }
            return count
        }
        let stopper = Stopper()
        let slow = try client([stopper], "/film.webm")
        let other = try client([], "/film.webm")
        let short = try client([], "/style.css")
        #expect(try received(short) > ReplaySample.style.count)
        loop.advanceTime(by: .seconds(1))
        #expect(try received(other) > ReplaySample.film.count)
        #expect(try received(slow) == 0)
        stopper.release(try slow.pipeline.syncOperations.context(handler: stopper))
        loop.advanceTime(by: .seconds(1))
        #expect(try received(slow) > ReplaySample.film.count)
    }
}
