// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// An event that requests a connection to end after its current work.
///
/// Not NIO's event for that, on which its handler of pipelined requests closes a connection whose last response has not left yet.
struct ConnectionShouldEnd: Sendable {}

/// The open connections of a server.
final class OpenConnections: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    /// Adds a connection until it is closed; returns false if there are too many.
    func add(_ channel: any Channel, limit: Int) -> Bool {
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

    private var all: [any Channel] { channels.withLock { Array($0.values) } }

    /// Requests all connections to end after their current work; the future is fulfilled when they have.
    func quiesce(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        let all = all
        for channel in all { channel.pipeline.fireUserInboundEventTriggered(ConnectionShouldEnd()) }
        return EventLoopFuture.andAllComplete(all.map(\.closeFuture), on: eventLoop)
    }

    func closeAll() {
        for channel in all { channel.close(promise: nil) }
    }
}
