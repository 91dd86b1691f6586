// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A limit on the open tunnels of one client address. Each takes some 50 KB for TLS alone; browsers open a few dozen.
final class TunnelLimit: Sendable {
    /// The maximum number of open tunnels of one client.
    private let most: Int
    /// The numbers of open tunnels by client. They are never over, and are removed when the last tunnel is closed.
    private let counts = AddressTable<Int> { _ in false }

    /// - Parameter most: the maximum for one client; 1,024 by default, some 50 MB.
    init(most: Int = 1024) { self.most = most }

    /// Counts a tunnel until its channel is closed; returns false if the address has too many.
    ///
    /// - Parameter address: the client, as ``ContentShare/client(_:)`` names it.
    func open(_ channel: any Channel, of address: String) -> Bool {
        let isFree = counts.withState(of: address, isNeeded: true) { count in
            guard (count ?? 0) < most else { return false }
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
