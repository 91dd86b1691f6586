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

    /// The time without progress after which the connection is closed.
    static let limit = TimeAmount.seconds(60)

    /// The measure of progress, for the lifetime of the handler.
    private let measure: Measure
    /// Whether other deadlines apply to the connection now, such as those of its streams.
    ///
    /// A change of it counts as progress, so that the deadline begins again.
    var isSuspended = false { didSet { noteProgress() } }
    /// Whether the bytes that a client reads are content, and so progress.
    ///
    /// The channel becomes writable again when the client has taken enough of the unsent bytes.
    var countsTaking = true
    /// The context while the timer runs.
    private var context: ChannelHandlerContext?
    /// The time of the last progress, by the clock of the event loop.
    private var since = NIODeadline.uptimeNanoseconds(0)
    /// The next check; nil before the connection is active, and after its end.
    private var timer: Scheduled<Void>?

    /// Creates a deadline that starts when the connection is active.
    init(_ measure: Measure) { self.measure = measure }

    // MARK: - The timer

    /// Starts the timer, once.
    private func start(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        self.context = context
        noteProgress()
        schedule(context, after: Self.limit)
    }

    /// Cancels the timer, and releases the context.
    private func stop() {
        timer?.cancel()
        timer = nil
        context = nil
    }

    /// Restarts the deadline.
    ///
    /// It costs reading the clock of the event loop, and no timer is set. On the event loop only.
    func noteProgress() {
        if let context { since = context.eventLoop.now }
    }

    /// Checks again when the time since the last progress may be over, and closes the connection if it is.
    ///
    /// A suspended deadline is checked again after the whole limit.
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

    /// Starts the timer if the connection is active already, as after a handshake.
    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { start(context) }
    }

    /// Starts the timer when the connection becomes active.
    func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    /// Notes the parts of a request that count, and passes all on.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isProgress(data) { noteProgress() }
        context.fireChannelRead(data)
    }

    /// Returns whether a part of a request is progress: a head or an end, if requests are counted.
    private func isProgress(_ data: NIOAny) -> Bool {
        guard measure == .requests else { return false }
        if case .body = unwrapInboundIn(data) { return false }
        return true
    }

    /// Counts the bytes that a client took as progress, if they are content.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, countsTaking { noteProgress() }
        context.fireChannelWritabilityChanged()
    }
}
