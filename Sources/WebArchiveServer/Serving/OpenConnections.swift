// SPDX-License-Identifier: Apache-2.0

package import NIOCore
import Synchronization

/// An event that requests a connection to end after its current work.
///
/// Not NIO's event for that, on which its handler of pipelined requests closes a connection whose last response has not left yet.
package struct ConnectionShouldEnd: Sendable {}

/// The open connections of a server.
package final class OpenConnections: Sendable {
    /// The channels by their identity, until they are closed.
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    /// Creates an empty set.
    package init() {}

    /// Adds a connection until it is closed; returns false if there are too many.
    ///
    /// - Parameters:
    ///   - channel: the channel, which the caller closes if it is not added.
    ///   - limit: the maximum number of open connections.
    package func add(_ channel: any Channel, limit: Int) -> Bool {
        let key = ObjectIdentifier(channel)
        let isTaken = channels.withLock { channels in
            guard channels.count < limit else { return false }
            channels[key] = channel
            return true
        }
        if isTaken {
            channel.closeFuture.whenComplete { _ in self.channels.withLock { _ = $0.removeValue(forKey: key) } }
        }
        return isTaken
    }

    /// The channels that are open now.
    private var all: [any Channel] { channels.withLock { Array($0.values) } }

    /// Requests all connections to end after their current work; the future is fulfilled when they have.
    ///
    /// Connections that are accepted later are not among them. Each handler decides on the end of its work.
    ///
    /// - Parameter eventLoop: the event loop of the future.
    package func quiesce(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        let all = all
        for channel in all { channel.pipeline.fireUserInboundEventTriggered(ConnectionShouldEnd()) }
        return EventLoopFuture.andAllComplete(all.map(\.closeFuture), on: eventLoop)
    }

    /// Closes all connections at once, with unsent responses.
    package func closeAll() {
        for channel in all { channel.close(promise: nil) }
    }
}
