// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Ends a connection in which no bytes go either way: what comes and what is sent, as far as the client takes it, are progress here.
final class IdleConnectionCloser: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let deadline = ConnectionDeadline()

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { deadline.start(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        deadline.start(context)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline.stop() }

    func channelInactive(context: ChannelHandlerContext) {
        deadline.stop()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        deadline.noteProgress()
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        deadline.noteProgress()
        context.write(data, promise: promise)
    }
}
