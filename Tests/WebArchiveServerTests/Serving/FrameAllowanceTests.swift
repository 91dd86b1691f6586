// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import WebArchiveServer

/// Frames as RFC 9113 section 4.1 has them, without what reads them.
@Suite struct FrameAllowanceTests {
    private static let most = 50
    private let channel = EmbeddedChannel()

    init() throws {
        try channel.pipeline.syncOperations.addHandlers([ConnectionErrorHandler(), FrameAllowance(most: Self.most)])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.writeInbound(ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
    }

    private func send(_ type: UInt8, length: UInt8 = 4, count: Int = 1) throws {
        let frame = [0, 0, length, type, 0, 0, 0, 0, 0] + [UInt8](repeating: 8, count: Int(length))
        try channel.writeInbound(ByteBuffer(bytes: repeatElement(frame, count: count).joined()))
    }

    /// The last 17 bytes that were sent, if they are all that was.
    private func goAway() throws -> [UInt8]? {
        try channel.readOutbound(as: ByteBuffer.self).map { Array($0.readableBytesView) }
    }

    @Test(arguments: [UInt8(8), 7, 2, 10, 16, 250], [UInt8(0), 4, 255])
    func floodsEnd(_ type: UInt8, _ length: UInt8) throws {
        try send(type, length: length, count: Self.most - 1)
        channel.embeddedEventLoop.run()
        #expect(try channel.isActive && goAway() == nil)
        try send(type, length: length)
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
        // ENHANCE_YOUR_CALM of sections 6.8 and 7.
        #expect(try goAway() == [0, 0, 8, 7] + [UInt8](repeating: 0, count: 12) + [11])
    }

    /// Bytes come as the network cuts them, and payloads may look like frames.
    @Test(arguments: [1, 7, 10, 4096]) func framesAreFoundInAnyPieces(_ length: Int) throws {
        let frames = (0..<Self.most - 1).flatMap { number -> [UInt8] in
            let payload = [UInt8](repeating: 8, count: number % 40)
            return [0, 0, UInt8(payload.count), 8, 0, 0, 0, 0, 0] + payload
        }
        for start in stride(from: 0, to: frames.count, by: length) {
            try channel.writeInbound(ByteBuffer(bytes: frames[start..<min(frames.count, start + length)]))
        }
        channel.embeddedEventLoop.run()
        #expect(channel.isActive)
        try send(8)
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
    }

    /// A stream and its connection get a window each for some hundred bytes.
    @Test func whoTakesBytesMaySendFrames() throws {
        for _ in 0..<Self.most {
            channel.writeAndFlush(ByteBuffer(repeating: 0, count: 500), promise: nil)
            try send(8, count: 2)
            _ = try channel.readOutbound(as: ByteBuffer.self)
        }
        channel.embeddedEventLoop.run()
        #expect(channel.isActive)
        // Bytes of long ago give no leave for a flood.
        try send(8, count: Self.most)
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
    }

    @Test func requestsMayComeWithFrames() throws {
        for _ in 0..<Self.most {
            try send(1)
            try send(8, count: 3)
        }
        channel.embeddedEventLoop.run()
        #expect(channel.isActive)
    }

    /// Content has a limit of its own.
    @Test func contentIsNotCounted() throws {
        for type in [0, 9] as [UInt8] { try send(type, count: Self.most + 10) }
        channel.embeddedEventLoop.run()
        #expect(channel.isActive)
    }
}
