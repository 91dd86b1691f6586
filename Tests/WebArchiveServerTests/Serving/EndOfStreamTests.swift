// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTP2
import Testing

@testable import WebArchiveServer

@Suite struct EndOfStreamTests {
    private let channel = EmbeddedChannel()

    init() throws {
        try channel.pipeline.syncOperations.addHandlers([EndOfStream(), HTTP2FramePayloadToHTTP1ServerCodec()])
    }

    /// The frames of content that have come out: their text, with a mark behind the one that ends the stream.
    private func frames() throws -> [String] {
        var frames: [String] = []
        while let frame = try channel.readOutbound(as: HTTP2Frame.FramePayload.self) {
            guard case .data(let content) = frame, case .byteBuffer(let bytes) = content.data else { continue }
            frames.append(String(buffer: bytes) + (content.endStream ? "." : ""))
        }
        return frames
    }

    private func write(_ parts: [HTTPServerResponsePart]) -> [EventLoopFuture<Void>] {
        parts.map { channel.write($0) }
    }

    private func content(_ text: String) -> HTTPServerResponsePart { .body(.byteBuffer(ByteBuffer(string: text))) }

    @Test func theLastContentEndsTheStream() throws {
        let head = HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok))
        let futures = write([head, content("a"), content(""), content("b"), .end(nil)])
        channel.flush()
        for future in futures { try future.wait() }
        #expect(try frames() == ["a", "b."])
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    /// A part that is waited for is not held back.
    @Test func flushedContentLeaves() throws {
        let futures = write([.head(HTTPResponseHead(version: .http1_1, status: .ok)), content("a")])
        channel.flush()
        for future in futures { try future.wait() }
        #expect(try frames() == ["a"])
        _ = write([.end(nil)])
        channel.flush()
        #expect(try frames() == ["."])
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func nothingIsForgottenWhenTheStreamEndsEarly() throws {
        _ = write([.head(HTTPResponseHead(version: .http1_1, status: .ok))])
        channel.flush()
        let futures = write([content("a")])
        channel.pipeline.fireChannelInactive()
        #expect(throws: ChannelError.ioOnClosedChannel) { try futures[0].wait() }
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
