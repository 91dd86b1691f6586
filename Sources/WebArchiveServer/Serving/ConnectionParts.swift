// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import NIOHTTP1
package import WebArchive

/// The parts of a server's connections that a proxy with other responses uses as well, with the same limits.
package enum ConnectionParts {
    /// Returns a handler that passes on one request at a time, for the place before the decoder.
    package static func readAhead() -> any ChannelHandler { ReadAhead() }

    /// Returns a handler that lets the last content of a stream of HTTP/2 end it, for the place after the multiplexer.
    package static func endOfStream() -> any ChannelHandler { EndOfStream() }

    /// Returns a decoder of requests.
    ///
    /// - Parameter strategy: the use of the bytes that are left when it is removed.
    package static func requestDecoder(_ strategy: RemoveAfterUpgradeStrategy) -> ByteToMessageHandler<
        HTTPRequestDecoder
    > {
        ReplayPipeline.requestDecoder(strategy)
    }

    /// Returns the error of a server that cannot listen, with a suggested recovery if there is one.
    package static func listeningError(host: String, port: Int, _ error: any Error) -> ArchiveError {
        ReplayServer.listeningError(host: host, port: port, error)
    }
}

/// A deadline that ends a connection of a proxy that makes no progress for a minute.
package struct ConnectionPace {
    private let deadline = ConnectionDeadline(.requests)

    package init() {}

    /// The handler, for the place behind the decoder.
    package var handler: any ChannelHandler & RemovableChannelHandler { deadline }

    /// Suspends the deadline while the connection waits for a server, or starts it again.
    package func suspend(_ isSuspended: Bool) { deadline.isSuspended = isSuspended }
}

/// The handlers that end a connection over TLS before a protocol has been negotiated, and one of HTTP/2 without streams.
package struct TunnelPace {
    private let deadline = ConnectionDeadline(.told)
    private let tunnel: TunnelHandler

    /// - Parameter onFailure: a function that is called if the handshake fails.
    package init(onFailure: @escaping () -> Void) { tunnel = TunnelHandler(deadline, onFailure: onFailure) }

    /// The handler for the place before TLS.
    package var first: any ChannelHandler { deadline }
    /// The handler for the place behind TLS.
    package var second: any ChannelHandler { tunnel }

    /// Continues with a protocol, after the handshake.
    package func begin(isHTTP2: Bool) { tunnel.begin(isHTTP2 ? .streams(0) : .requests) }

    /// Configures HTTP/2, with the server's limits and checks of requests.
    ///
    /// - Parameter stream: a function that adds the handlers of a stream, behind the codec of HTTP/1.
    package func configureHTTP2(
        _ channel: any Channel, _ stream: @escaping @Sendable (any Channel, ConnectionPace) throws -> Void
    ) throws {
        let bound = NIOLoopBound(tunnel, eventLoop: channel.eventLoop)
        try ReplayPipeline.configureHTTP2(channel) { channel in
            bound.value.count(channel)
            return channel.eventLoop.makeCompletedFuture {
                let pace = ConnectionPace()
                try channel.pipeline.syncOperations.addHandlers(ReplayPipeline.streamHandlers + [pace.handler])
                try stream(channel, pace)
            }
        }
    }
}
