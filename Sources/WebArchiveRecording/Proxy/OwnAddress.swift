// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Synchronization

/// The address at which a proxy listens: a request to it would be forwarded to itself without end.
final class OwnAddress: Sendable {
    private let state = Mutex<(port: Int?, hosts: Set<String>)>((nil, []))

    /// Sets the address. One for all interfaces stands for those of each.
    func set(_ address: SocketAddress?) {
        guard let address, let port = address.port, let host = address.ipAddress else { return }
        var hosts: Set<String> = [host]
        if ["0.0.0.0", "::"].contains(host) {
            let devices = (try? System.enumerateDevices()) ?? []
            hosts.formUnion(devices.compactMap { $0.address?.ipAddress })
        }
        state.withLock { $0 = (port, hosts) }
    }

    /// Returns whether an address is the proxy's.
    func contains(_ address: SocketAddress) -> Bool {
        guard let host = address.ipAddress else { return false }
        return state.withLock { state in
            guard let port = state.port, address.port == port else { return false }
            return state.hosts.contains(host) || state.hosts.contains("0.0.0.0") && host.hasPrefix("127.")
        }
    }
}
