// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import NIOHTTP1
package import WebArchive

/// The parts of a server's connections that a proxy with other responses uses as well, with the same limits.
package enum ConnectionParts {
    /// Returns a handler that passes on one request at a time, for the place before the decoder.
    package static func readAhead() -> any ChannelHandler { ReadAhead() }

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
