// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// The properties of a connection that determine the meaning of its requests.
///
/// It is a value: the streams of a connection and the inside of a tunnel have copies with other properties.
struct ReplayConnection: Sendable {
    /// The scheme: `https` if TLS ends here.
    var scheme = "http"
    /// The target of a `CONNECT`: host and port. Nil outside a tunnel.
    var tunnel: String?
    /// The host of the tunnel, without the port; empty outside one.
    var host = ""
    /// Whether absolute-form targets are served at their own origins.
    var isProxy = false
    /// Whether this is one stream of an HTTP/2 connection.
    var isStream = false
    /// The address of the peer, for the log.
    ///
    /// It has no port, and is `-` if it is unknown.
    var address = "-"
    /// Whether content may be sent in a coding that the client accepts.
    ///
    /// It is decided once for the connection, by ``ReplayService/Options/coding``.
    var mayBeCoded = false
    /// The event-loop time that handlers charge themselves. Streams and the inside of a tunnel share it.
    let accounted = AccountedTime()

    /// Returns a request line for logs: with the origin if that is not this server.
    ///
    /// - Parameter head: the head; nil for a request that could not be parsed, whose line is empty.
    func requestLine(_ head: HTTPRequestHead?) -> String {
        guard let head else { return "" }
        let origin = tunnel.map { "\(scheme)://\(head.headers.first(name: "Host") ?? $0)" } ?? ""
        return "\(head.method.rawValue) \(origin)\(head.uri) \(head.version)"
    }
}

extension SocketAddress {
    /// The address without the port.
    ///
    /// An IP address as text, or the path of a Unix domain socket.
    var hostText: String { ipAddress ?? pathname ?? "-" }

    /// Whether a peer of this address is on the same machine.
    ///
    /// An address that is not of IP counts as local. The addresses of IPv4 in IPv6 are recognized.
    var isLoopback: Bool {
        guard let address = ipAddress else { return true }
        return address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
    }
}

extension ReplayService.Options {
    /// Returns whether a client gets content in a coding that it accepts.
    ///
    /// - Parameter client: the address of the client; an unknown one counts as local.
    func codesContent(for client: SocketAddress?) -> Bool {
        switch coding {
        case .remoteClients: client.map { !$0.isLoopback } ?? false
        case .allClients: true
        case .noClients: false
        }
    }
}
