// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP2

/// A handler that lets the last content of a stream end it, so that no empty frame comes after content.
///
/// A client may make the window of a stream negative (RFC 9113 section 6.9.2). SwiftNIO cuts a frame that waits then to that length, and an
/// empty one ends the program.
final class EndOfStream: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// Written content that was not flushed, which may be the last.
    private var held: (content: HTTP2Frame.FramePayload.Data, promise: EventLoopPromise<Void>?)?

    /// Holds content back until it is known whether the end of the stream comes next; then both go in one frame.
    ///
    /// Empty content that does not end the stream is dropped, and its promise succeeds.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .data(let content) = unwrapOutboundIn(data) else {
            release(context)
            return context.write(data, promise: promise)
        }
        let isEmpty = content.data.readableBytes == 0
        if isEmpty, content.endStream, var last = held {
            held = nil
            last.content.endStream = true
            if let promise { last.promise?.futureResult.cascade(to: promise) }
            return context.write(wrapOutboundOut(.data(last.content)), promise: last.promise ?? promise)
        }
        if isEmpty, !content.endStream {
            promise?.succeed()
            return
        }
        release(context)
        if content.endStream {
            context.write(data, promise: promise)
        } else {
            held = (content, promise)
        }
    }

    /// Passes on held content, with more content to follow.
    private func release(_ context: ChannelHandlerContext) {
        guard let (content, promise) = held else { return }
        held = nil
        context.write(wrapOutboundOut(.data(content)), promise: promise)
    }

    /// Passes on held content before a flush, which must not leave it behind.
    func flush(context: ChannelHandlerContext) {
        release(context)
        context.flush()
    }

    /// Passes on held content, which the close would lose.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        release(context)
        context.close(mode: mode, promise: promise)
    }

    /// Fails the promise of held content, so that its bytes are no longer counted.
    func channelInactive(context: ChannelHandlerContext) {
        held?.promise?.fail(ChannelError.ioOnClosedChannel)
        held = nil
        context.fireChannelInactive()
    }
}
