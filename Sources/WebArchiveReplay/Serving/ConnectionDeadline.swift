// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Ends a connection that makes no progress: one timer, which looks now and then instead of being set anew for each request.
///
/// What a client takes of a long answer is progress in any case. It stands beside the way of what is sent, which is the hot path.
final class ConnectionDeadline: ChannelInboundHandler, RemovableChannelHandler {
    /// Read only where requests are counted.
    typealias InboundIn = HTTPServerRequestPart

    /// What counts as progress of a client.
    enum Measure {
        /// Any bytes that come.
        case bytes
        /// A head that has come as a whole, and a request that has; one that comes byte by byte is none, and neither is a body.
        case requests
    }

    static let limit = TimeAmount.seconds(60)

    private let measure: Measure
    private var since = NIODeadline.uptimeNanoseconds(0)
    private var timer: Scheduled<Void>?

    init(_ measure: Measure) { self.measure = measure }

    // MARK: - The timer

    private func start(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        noteProgress(context)
        schedule(context, after: Self.limit)
    }

    private func stop() {
        timer?.cancel()
        timer = nil
    }

    private func noteProgress(_ context: ChannelHandlerContext) { since = context.eventLoop.now }

    private func schedule(_ context: ChannelHandlerContext, after delay: TimeAmount) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            guard let self, self.timer != nil else { return }
            let left = self.since + Self.limit - context.eventLoop.now
            if left <= .nanoseconds(0) {
                context.close(promise: nil)
            } else {
                self.schedule(context, after: left)
            }
        }
    }

    // MARK: - What happens on the connection

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { start(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isProgress(data) { noteProgress(context) }
        context.fireChannelRead(data)
    }

    private func isProgress(_ data: NIOAny) -> Bool {
        guard measure == .requests else { return true }
        if case .body = unwrapInboundIn(data) { return false }
        return true
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { noteProgress(context) }
        context.fireChannelWritabilityChanged()
    }
}
