// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveServer

/// With a clock that stands still until it is moved.
@Suite struct ConnectionDeadlineTests {
    private let sample: ReplaySample
    private let service: ReplayService
    private let channel: EmbeddedChannel

    init() throws {
        sample = try ReplaySample()
        service = ReplayService(
            try ArchiveLibrary([sample.path]), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        channel = EmbeddedChannel()
        try ReplayPipeline(service: service, workers: FairScheduler(threads: 1, loopTime: .still), tunnels: nil)
            .configureHTTP1(
                channel, ReplayConnection())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func send(_ text: String) throws {
        try channel.writeInbound(ByteBuffer(string: text))
        // As a channel does that reads by itself.
        channel.read()
    }

    private func wait(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    @Test func anIdleConnectionEnds() {
        wait(.seconds(59))
        #expect(channel.isActive)
        wait(.seconds(2))
        #expect(!channel.isActive)
    }

    @Test func aHeadThatComesByteByByteGainsNoTime() throws {
        for byte in "GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ".utf8 where channel.isActive {
            try send(String(UnicodeScalar(byte)))
            wait(.seconds(10))
        }
        #expect(!channel.isActive)
    }

    @Test func aBodyThatComesByteByByteGainsNoTime() throws {
        try send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n")
        for _ in 0..<20 where channel.isActive {
            try send("x")
            wait(.seconds(10))
        }
        #expect(!channel.isActive)
    }

    @Test func aBodyThatStopsEnds() throws {
        try send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc")
        wait(.seconds(59))
        #expect(channel.isActive)
        wait(.seconds(2))
        #expect(!channel.isActive)
    }

    /// In a tunnel, requests are not counted before the TLS handshake has ended.
    @Test func aTunnelWithoutAHandshakeEnds() throws {
        let tunnels = try TunnelCertificates(DeviceAuthority(hosts: ["site.example"], device: "test", now: Date()))
        let channel = EmbeddedChannel()
        try ReplayPipeline(service: service, workers: FairScheduler(threads: 1, loopTime: .still), tunnels: tunnels)
            .configureHTTP1(
                channel, ReplayConnection())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.writeInbound(
            ByteBuffer(string: "CONNECT site.example:443 HTTP/1.1\r\nHost: site.example:443\r\n\r\n"))
        let response = try channel.readOutbound(as: ByteBuffer.self)
        #expect(response.map { String(buffer: $0) }?.hasPrefix("HTTP/1.1 200 ") == true)
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(!channel.isActive)
    }

    @Test func eachRequestGivesNewTime() throws {
        for _ in 0..<5 {
            wait(.seconds(55))
            try send("GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(channel.isActive)
        }
        wait(.seconds(61))
        #expect(!channel.isActive)
    }

    @Test func aClientThatTakesNothingEnds() throws {
        channel.isWritable = false
        try send("GET /film.webm HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait(.seconds(59))
        #expect(channel.isActive)
        wait(.seconds(2))
        #expect(!channel.isActive)
    }

    @Test func aClientThatTakesSomethingGoesOn() throws {
        channel.isWritable = false
        try send("GET /film.webm HTTP/1.1\r\nHost: localhost\r\n\r\n")
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
