// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// The properties of a connection by which its requests are understood.
struct ReplayConnection: Sendable {
    /// `https` where TLS ends here.
    var scheme = "http"
    /// The target of a `CONNECT`: host and port. Nil outside of a tunnel.
    var tunnel: String?
    /// The host of the tunnel, without the port; empty outside of one.
    var host = ""
    /// Whether absolute-form targets are answered at their own origins.
    var isProxy = false
    /// Whether this is one stream of an HTTP/2 connection.
    var isStream = false
    /// Of the peer, for the log.
    var address = "-"
}

extension SocketAddress {
    /// The address without the port.
    var hostText: String { ipAddress ?? pathname ?? "-" }
}
