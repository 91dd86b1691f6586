// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The target of a request to a proxy (RFC 9112 section 3.2): an absolute URL, or a path inside of a tunnel.
struct ProxyTarget: Sendable {
    /// The absolute URL as given, without a fragment.
    let url: String
    let server: OriginServer
    /// The host and port as given, for the `Host` field.
    let authority: String
    /// The path and query, as sent to the origin server.
    let path: String

    /// The maximum length of a URL in bytes.
    private static let maximumLength = 32 << 10

    /// Reads the target of a request.
    ///
    /// - Parameters:
    ///   - target: the target of the request line.
    ///   - host: the values of the `Host` fields.
    ///   - tunnel: the origin server of the tunnel with its authority as given; nil outside of one.
    /// - Returns: nil if the target is malformed, is not of http or https, has a user name, or is of another server than the tunnel.
    init?(_ target: String, host: [String], tunnel: (server: OriginServer, authority: String)?) {
        guard target.utf8.count <= Self.maximumLength, target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            host.count <= 1
        else { return nil }
        let text = String(target.prefix { $0 != "#" })
        guard let tunnel else {
            guard let found = Self.parts(text) else { return nil }
            (url, server, authority, path) = (text, found.server, found.authority, found.path)
            return
        }
        if text.utf8.first == UInt8(ascii: "/") || text == "*" {
            let scheme = tunnel.server.isSecure ? "https" : "http"
            let named = host.first ?? tunnel.authority
            // A host with a path or a fragment would move the response to another URL.
            guard named.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                !named.contains(where: { "/?#\\@".contains($0) })
            else { return nil }
            let whole = "\(scheme)://\(named)\(text == "*" ? "" : text)"
            guard let found = Self.parts(whole), found.server == tunnel.server else { return nil }
            (url, server, authority, path) = (whole, found.server, named, text)
        } else {
            guard let found = Self.parts(text), found.server == tunnel.server else { return nil }
            (url, server, authority, path) = (text, found.server, found.authority, found.path)
        }
    }

    /// Returns the parts of an absolute URL of http or https; nil for others, and for one with a user name.
    static func parts(_ text: String) -> (server: OriginServer, authority: String, path: String)? {
        guard let canonical = try? CanonicalURL(text), canonical.isOfHTTP, canonical.userinfo == nil,
            let bytes = canonical.host, let start = text.firstRange(of: "://")?.upperBound
        else { return nil }
        let isSecure = canonical.scheme.elementsEqual("https".utf8)
        var host = String(decoding: bytes, as: UTF8.self)
        if host.hasPrefix("[") { host = String(host.dropFirst().dropLast()) }
        let rest = text[start...]
        let end = rest.firstIndex { "/?#\\".contains($0) } ?? rest.endIndex
        let path = rest[end...].prefix { $0 != "#" }
        return (
            OriginServer(isSecure: isSecure, host: host, port: Int(canonical.port ?? (isSecure ? 443 : 80))),
            String(rest[..<end]), path.first == "/" ? String(path) : "/" + path
        )
    }
}
