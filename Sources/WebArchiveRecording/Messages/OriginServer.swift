// SPDX-License-Identifier: Apache-2.0

/// The scheme, host and port by which an origin server is reached (RFC 9110 section 4.3.1).
struct OriginServer: Hashable, Sendable, CustomStringConvertible {
    /// Whether the connection uses TLS.
    var isSecure: Bool
    /// The host in lower case; an IPv6 address without brackets.
    var host: String
    var port: Int

    var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
