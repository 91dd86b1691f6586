// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP2

/// A handler that ends an HTTP/2 connection whose client sends many more frames than its requests and the bytes that it reads require.
///
/// `NIOHTTP2Handler` limits PING, SETTINGS, PRIORITY and RST_STREAM, but not WINDOW_UPDATE (RFC 9113 section 6.9), GOAWAY, nor frames of types
/// that it does not know (section 5.5): they cost the client little, and are read on the event loop of others. It belongs between that handler and
/// ``ConnectionErrorHandler``, which closes the connection after the GOAWAY.
final class FrameAllowance: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The number of sent bytes for one more frame. Clients send a WINDOW_UPDATE or two for some thousand bytes that they read.
    static let bytesForFrame = 128
    /// The number of frames for each request, such as windows and priorities.
    static let framesForRequest = 8

    /// The length of the header of a frame (section 4.1).
    private static let headerLength = 9
    /// The types of frames that are not counted, or that allow others (sections 6.1, 6.2 and 6.10).
    private static let (data, headers, continuation) = (UInt8(0), UInt8(1), UInt8(9))

    /// The maximum of frames that a client may have left.
    private let most: Int
    /// The number of frames that the client may still send; 0 or less ends the connection.
    private var left: Int
    /// The number of sent bytes that have not allowed a frame yet.
    private var sentBytes = 0
    /// The remaining bytes of the preface (section 3.4) or of a frame's payload.
    private var payloadLeft = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8.count
    /// The frame whose header is being read, as far as it has arrived.
    private var frame = (headerLength: 0, length: 0, type: UInt8(0))

    /// - Parameter most: the number of frames that may come without any request or sent bytes.
    init(most: Int = 4000) { (self.most, left) = (most, most) }

    /// Passes frames on as long as there are not too many of them.
    ///
    /// Bytes after the end of the allowance are dropped. The GOAWAY has the code ENHANCE_YOUR_CALM (section 7).
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard left > 0 else { return }
        count(unwrapInboundIn(data))
        guard left <= 0 else { return context.fireChannelRead(data) }
        // Section 6.8: no stream is named, since the last request may not have been processed.
        var goAway = context.channel.allocator.buffer(capacity: Self.headerLength + 8)
        goAway.writeBytes([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        goAway.writeInteger(UInt32(HTTP2ErrorCode.enhanceYourCalm.networkCode))
        context.writeAndFlush(wrapOutboundOut(goAway), promise: nil)
    }

    /// Counts the frames that begin in some bytes (section 4.1).
    ///
    /// It takes time in proportion to the number of frames, since payloads are passed over.
    private func count(_ bytes: ByteBuffer) {
        var bytes = bytes
        while bytes.readableBytes > 0 {
            let skipped = min(payloadLeft, bytes.readableBytes)
            bytes.moveReaderIndex(forwardBy: skipped)
            payloadLeft -= skipped
            while payloadLeft == 0, let byte = bytes.readInteger(as: UInt8.self) {
                switch frame.headerLength {
                case ..<3: frame.length = frame.length << 8 | Int(byte)
                case 3: frame.type = byte
                default: break
                }
                frame.headerLength += 1
                guard frame.headerLength == Self.headerLength else { continue }
                count(frame.type)
                if left <= 0 { return }
                payloadLeft = frame.length
                frame = (0, 0, 0)
            }
        }
    }

    /// Counts one frame by its type: a request allows ``framesForRequest`` more, and any other frame but DATA
    /// and CONTINUATION costs one.
    private func count(_ type: UInt8) {
        switch type {
        // Requests and their uploads have limits of their own.
        case Self.data, Self.continuation: break
        case Self.headers: left = min(most, left + Self.framesForRequest)
        default: left -= 1
        }
    }

    /// Passes bytes on, for which the client may send frames.
    ///
    /// The allowance never exceeds its first value, and is not raised any more once it is used up.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        sentBytes += unwrapOutboundIn(data).readableBytes
        left = left > 0 ? min(most, left + sentBytes / Self.bytesForFrame) : left
        sentBytes %= Self.bytesForFrame
        context.write(data, promise: promise)
    }
}
