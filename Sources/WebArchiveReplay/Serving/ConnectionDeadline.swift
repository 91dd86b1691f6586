// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Ends a connection that makes no progress: one timer, which looks now and then instead of being set anew for each request.
///
/// A request that has come as a whole is progress, and content that the client takes; a head or a body that comes byte by byte is none.
final class ConnectionDeadline {
    static let limit = TimeAmount.seconds(60)

    private var since = NIODeadline.uptimeNanoseconds(0)
    private var timer: Scheduled<Void>?
    private var eventLoop: (any EventLoop)?

    func start(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        eventLoop = context.eventLoop
        noteProgress()
        schedule(context, after: Self.limit)
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }

    func noteProgress() {
        if let eventLoop { since = eventLoop.now }
    }

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
}
