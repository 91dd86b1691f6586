// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WebArchive

/// A connection of a client that has switched to another protocol than HTTP (RFC 9110 section 7.8): bytes pass in both directions as they are.
final class SwitchedConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let exchange: Exchange
    private var context: ChannelHandlerContext?
    private var isReadHeld = false

    init(_ exchange: Exchange) { self.exchange = exchange }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { exchange.sendSwitched(unwrapInboundIn(data)) }

    func read(context: ChannelHandlerContext) {
        if exchange.takesContent { context.read() } else { isReadHeld = true }
    }

    /// Ends both directions: no such protocol uses one alone.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        exchange.detach()
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { exchange.clientBecameWritable() }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension SwitchedConnection: ExchangeClient {
    var isWritable: Bool { context?.channel.isWritable ?? false }

    func takesContent() {
        guard isReadHeld, let context else { return }
        isReadHeld = false
        context.read()
    }

    func send(_ head: ReceivedHead) {}
    func send(_ content: ByteBuffer) { context?.write(wrapOutboundOut(content), promise: nil) }
    func flush() { context?.flush() }
    func end(_ trailers: HeaderFields) { context?.close(promise: nil) }
    func fail(_ failure: UpstreamFailure) { context?.close(promise: nil) }
}
