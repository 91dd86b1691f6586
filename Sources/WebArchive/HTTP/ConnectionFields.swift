// SPDX-License-Identifier: Apache-2.0

/// The header fields of one connection, which neither a cache nor a proxy forwards (RFC 9110 section 7.6.1, RFC 9111 section 3.1).
package enum ConnectionFields {
    /// The fields of a connection even if `Connection` does not name them; lower case.
    package static let names: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Returns ``names``, and the fields that the `Connection` field of a message names; lower case.
    package static func names(of headers: HeaderFields) -> Set<String> {
        guard let connection = headers["Connection"] else { return names }
        return names.union(
            connection.split(separator: ",").map { String($0.trimmingOptionalWhitespace).asciiLowercased })
    }
}
