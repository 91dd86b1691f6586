// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Ends a connection behind TLS where nothing else does: before a protocol has been agreed on, and with HTTP/2, which has its requests in
/// channels of their own.
final class TunnelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    enum State {
        /// TLS is being agreed on.
        case handshake
        /// HTTP/1.1, whose handler of requests looks after the connection.
        case requests
        /// HTTP/2, with so many streams that are open.
        case streams(Int)
    }

    var state = State.handshake
    private var isLast = false
    private var context: ChannelHandlerContext?
    private let onFailure: () -> Void

    /// - Parameter onFailure: called when TLS is not agreed on.
    init(onFailure: @escaping () -> Void) { self.onFailure = onFailure }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Counts a stream until it is closed.
    func count(_ stream: any Channel) {
        change(1)
        stream.closeFuture.assumeIsolated().whenComplete { _ in self.change(-1) }
    }

    private func change(_ amount: Int) {
        guard case .streams(let count) = state else { return }
        state = .streams(count + amount)
        if isLast, count + amount == 0 { context?.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        let isEndOfInput = event as? ChannelEvent == .inputClosed
        if isEndOfInput || event is ConnectionShouldEnd {
            isLast = true
            switch state {
            case .requests: break
            // Nobody speaks HTTP/2 into one direction only.
            case .streams(let count) where count > 0 && !isEndOfInput: break
            case .handshake, .streams: return context.close(promise: nil)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard case .handshake = state else { return context.fireErrorCaught(error) }
        onFailure()
        context.close(promise: nil)
    }
}
