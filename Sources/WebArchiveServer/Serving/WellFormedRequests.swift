// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP2

/// A handler that resets a stream whose request is malformed (RFC 9113 section 8.1.1), before the codec of HTTP/1.1 sees it.
///
/// It takes the place of the checks of `NIOHTTP2Handler`, which compare values in quadratic time and let bytes beyond ASCII into the method.
/// SwiftNIO's reader of HTTP/1.1 refuses such bytes by itself.
final class WellFormedRequests: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// The part of the request that comes next.
    private enum State {
        /// No head has come.
        case waiting
        /// Content may follow: this many bytes if the head announced a length.
        case receiving(Int?)
        /// The stream was reset, and everything else of it is dropped.
        case refused
    }

    /// The state of the stream's only request.
    private var state = State.waiting

    /// Checks the frames of a request: fields, the announced length of the content, and fields after it. Passes on
    /// those that are well formed.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (_, .refused): return
        case (.headers(let frame), .waiting):
            guard let fields = WellFormedFields(head: frame.headers) else { return refuse(context) }
            state = .receiving(fields.contentLength)
            if frame.endStream, fields.contentLength ?? 0 > 0 { return refuse(context) }
        case (.headers(let frame), .receiving(let rest)):
            guard WellFormedFields.isTrailer(frame.headers), rest ?? 0 == 0 else { return refuse(context) }
        case (.data(let frame), .receiving(let rest?)):
            let left = rest - frame.data.readableBytes
            guard left >= 0, left == 0 || !frame.endStream else { return refuse(context) }
            state = .receiving(left)
        default: break
        }
        context.fireChannelRead(data)
    }

    /// Resets the stream with PROTOCOL_ERROR (section 8.1.1); the connection continues.
    private func refuse(_ context: ChannelHandlerContext) {
        state = .refused
        context.writeAndFlush(wrapOutboundOut(.rstStream(.protocolError)), promise: nil)
    }
}
