// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// A check of the statuses of responses.
///
/// HTTPClient passes over every status below 200 as informational. Behind one below 100 the parser delivers content, at which the client ends the
/// process.
final class StatusCheck: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private var hasFailed = false

    /// Adds a check to a connection, behind the parser of responses.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(StatusCheck(), position: .after(parser))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
            hasFailed = true
            context.fireErrorCaught(HTTPParserError.invalidStatus)
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }
}
