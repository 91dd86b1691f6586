// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WebArchiveServer

/// A handler that waits for the first byte in a tunnel, which shows whether TLS follows or HTTP in the clear, as for `ws:`.
final class TunnelStart: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The type of a record that begins a handshake (RFC 8446 section 5.1).
    private static let handshake = UInt8(22)

    private let pipeline: ClientPipeline
    private let server: OriginServer
    private let authority: String

    init(_ pipeline: ClientPipeline, _ server: OriginServer, authority: String) {
        (self.pipeline, self.server, self.authority) = (pipeline, server, authority)
    }

    /// The time after which a tunnel without a byte is closed.
    private static let limit = TimeAmount.seconds(60)
    private var deadline: Scheduled<Void>?

    func handlerAdded(context: ChannelHandlerContext) {
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.limit) { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
    }

    /// Ends a tunnel in which nothing has begun, when the proxy stops.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ConnectionShouldEnd || event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let first = unwrapInboundIn(data).readableBytesView.first else { return }
        do {
            try pipeline.configureTunnel(
                context.channel, isTLS: first == Self.handshake, server, authority: authority)
        } catch {
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
