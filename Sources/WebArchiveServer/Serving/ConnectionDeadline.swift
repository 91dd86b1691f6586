// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// A deadline that ends a connection that makes no progress: one timer, which checks periodically instead of being set again for each request.
///
/// Response data that a client takes is progress in any case. It is counted beside the path of the data itself, which is hot.
final class ConnectionDeadline: ChannelInboundHandler, RemovableChannelHandler {
    /// The parts of requests, which are read only if requests are counted.
    typealias InboundIn = HTTPServerRequestPart

    /// The events that count as progress of a client.
    enum Measure {
        /// Only explicit progress: ``noteProgress()`` reports data over TLS, and bytes alone do not count.
        case told
        /// A complete head, and a complete request; one that arrives byte by byte does not count, and neither does a body.
        case requests
    }

    static let limit = TimeAmount.seconds(60)

    private let measure: Measure
    /// Whether other deadlines apply to the connection now, such as those of its streams.
    var isSuspended = false { didSet { noteProgress() } }
    /// Whether the bytes that a client reads are content, and so progress.
    var countsTaking = true
    private var context: ChannelHandlerContext?
    private var since = NIODeadline.uptimeNanoseconds(0)
    private var timer: Scheduled<Void>?

    init(_ measure: Measure) { self.measure = measure }

    // MARK: - The timer

    private func start(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        self.context = context
        noteProgress()
        schedule(context, after: Self.limit)
    }

    private func stop() {
        timer?.cancel()
        timer = nil
        context = nil
    }

    /// Restarts the deadline.
    func noteProgress() {
        if let context { since = context.eventLoop.now }
    }

    /// Checks again when the time since the last progress may be over, and closes the connection if it is.
    private func schedule(_ context: ChannelHandlerContext, after delay: TimeAmount) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            guard let self, self.timer != nil else { return }
            let left = self.since + Self.limit - context.eventLoop.now
            if self.isSuspended {
                self.schedule(context, after: Self.limit)
            } else if left <= .nanoseconds(0) {
                context.close(promise: nil)
            } else {
                self.schedule(context, after: left)
            }
        }
    }

    // MARK: - Events of the connection

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
        if isProgress(data) { noteProgress() }
        context.fireChannelRead(data)
    }

    private func isProgress(_ data: NIOAny) -> Bool {
        guard measure == .requests else { return false }
        if case .body = unwrapInboundIn(data) { return false }
        return true
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, countsTaking { noteProgress() }
        context.fireChannelWritabilityChanged()
    }
}
