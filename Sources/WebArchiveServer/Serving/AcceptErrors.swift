// SPDX-License-Identifier: Apache-2.0

import Logging
import NIOCore

/// A handler that counts connections that could not be accepted or set up, and logs one of them a minute, since there may be many.
///
/// It is last at the channel that listens, where such errors arrive.
final class AcceptErrors: ChannelInboundHandler {
    typealias InboundIn = any Channel

    /// The service with the counters and the log.
    private let service: ReplayService
    /// The limit of one line a minute.
    private let limit = LineLimit(most: 1)

    /// Creates the handler, which is for one listening channel.
    init(_ service: ReplayService) { self.service = service }

    /// Counts an error, and logs it with the number of those that were not logged since the last line.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        service.counters.count(.failedConnections)
        guard let more = limit.words(at: context.eventLoop.now) else { return }
        service.logger.error("cannot set up a connection: \(error)\(more)")
    }
}
