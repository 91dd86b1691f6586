// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A handler that closes an HTTP/2 connection after a connection error, as RFC 9113 section 5.4.1 requires.
///
/// `NIOHTTP2Handler` sends GOAWAY and then collects the client's remaining frames. It reports stream errors and
/// connection errors with the same event, so this handler distinguishes them by the frame. It belongs between that handler and the network.
final class ConnectionErrorHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// The type of a GOAWAY frame (section 6.8), whose payload is a stream's number and an error's code.
    private static let goAway = UInt8(7)
    /// The length of the header of a frame (section 4.1): length, type, flags and stream.
    private static let headerLength = 9

    /// The number of bytes of the last frame that will come with the next writes.
    ///
    /// The frames of `NIOHTTP2Handler` begin with a write, so that only this number must be known to find the next one.
    private var rest = 0
    /// Whether a GOAWAY with an error was written: nothing is read from then on.
    private var hasFailed = false

    /// Passes on bytes of the client until the connection has failed.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !hasFailed { context.fireChannelRead(data) }
    }

    /// Passes frames on, and closes the connection after a GOAWAY with an error.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        note(unwrapOutboundIn(data))
        context.write(data, promise: promise)
        guard hasFailed else { return }
        // The handler that wrote it is in the midst of its work.
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.assumeIsolated().execute {
            bound.value.flush()
            bound.value.close(promise: nil)
        }
    }

    /// Notes frames: one begins with a write, and its payload may come with the next ones.
    ///
    /// A GOAWAY with the code 0, NO_ERROR, is the regular end of a connection, and does not count.
    private func note(_ bytes: ByteBuffer) {
        guard rest == 0 else {
            rest = max(0, rest - bytes.readableBytes)
            return
        }
        let start = bytes.readerIndex
        guard let (high, low, type) = bytes.getMultipleIntegers(at: start, as: (UInt8, UInt16, UInt8).self) else {
            return
        }
        let length = Int(high) << 16 | Int(low)
        rest = max(0, Self.headerLength + length - bytes.readableBytes)
        let code = bytes.getInteger(at: start + Self.headerLength + 4, as: UInt32.self)
        if type == Self.goAway, let code, code != 0 { hasFailed = true }
    }
}
