// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The authority of a request to this server: a host, and the port with its colon (RFC 3986 section 3.2).
struct ServerAuthority {
    /// The host in canonical form, without the dot of the root; an IPv6 address is in brackets.
    let host: String
    /// The port; empty for the scheme's default.
    let port: String

    /// Parses the authority of a request.
    ///
    /// - Returns: the authority; nil if a canonical URL cannot have it.
    init?(_ authority: String) {
        guard let url = try? CanonicalURL("http://\(authority)/"), let host = url.host else { return nil }
        self.host = CertificateHost.withoutRoot(String(decoding: host, as: UTF8.self))
        port = url.port.map { ":\($0)" } ?? ""
    }

    /// Creates an authority from its parts, which must be canonical.
    private init(host: String, port: String) { (self.host, self.port) = (host, port) }

    // MARK: - The explorer's host

    /// The label of the explorer's host; no site of a catalogue has it.
    static let explorerLabel = "explorer"

    /// The end of the host of an explorer below a site's name; without the dot, the host of the only site's.
    private static let explorer = ".\(explorerLabel).localhost"

    /// Whether this is the host of the explorer of a site.
    var isOfExplorer: Bool { host.hasSuffix(Self.explorer) || host == Self.explorer.dropFirst() }

    /// The authority of a site's explorer: `explorer.localhost` of the site at a loopback address, `manual.explorer.localhost` of that at
    /// `manual.localhost`. Browsers treat them as other sites, so that the two share nothing (HTML, section "Sites").
    var ofExplorer: ServerAuthority {
        let site = host.hasSuffix(".localhost") ? String(host.dropLast("localhost".count)) : ""
        return ServerAuthority(host: site + Self.explorer.dropFirst(), port: port)
    }

    /// The authority of the site of this explorer.
    ///
    /// An authority that is not an explorer's stays as it is.
    var ofSite: ServerAuthority {
        let site = isOfExplorer ? ".\(host)".dropLast(Self.explorer.count).dropFirst() : nil
        return ServerAuthority(host: site.map { $0.isEmpty ? "localhost" : "\($0).localhost" } ?? host, port: port)
    }
}

extension ServerAuthority: CustomStringConvertible {
    /// The text for a URL.
    var description: String { host + port }
}
