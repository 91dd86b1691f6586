// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A limit on the open channels of one client address: its connections, or its tunnels.
final class ClientChannelLimit: Sendable {
    /// The maximum number of open channels of one client.
    private let maximum: Int
    /// The numbers of open channels by client. They are never over, and are removed when the last channel is closed.
    private let counts = AddressTable<Int> { _ in false }

    init(_ maximum: Int) { self.maximum = maximum }

    /// Counts a channel until it is closed; returns false if the address has too many.
    ///
    /// - Parameter address: the client, as ``ContentShare/client(_:)`` names it.
    func open(_ channel: any Channel, of address: String) -> Bool {
        let isFree = counts.withState(of: address, isNeeded: true) { count in
            guard (count ?? 0) < maximum else { return false }
            count = (count ?? 0) + 1
            return true
        }
        guard isFree else { return false }
        channel.closeFuture.whenComplete { [counts] _ in
            counts.withState(of: address) { $0 = $0.flatMap { $0 > 1 ? $0 - 1 : nil } }
        }
        return true
    }
}
