// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The authority of a request to this server: a host, and the port with its colon (RFC 3986 section 3.2).
struct ServerAuthority {
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

    private init(host: String, port: String) { (self.host, self.port) = (host, port) }

    // MARK: - The explorer's host

    /// The label of the explorer's host; no site of a catalogue has it.
    static let explorerLabel = "explorer"

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
    var ofSite: ServerAuthority {
        let site = isOfExplorer ? ".\(host)".dropLast(Self.explorer.count).dropFirst() : nil
        return ServerAuthority(host: site.map { $0.isEmpty ? "localhost" : "\($0).localhost" } ?? host, port: port)
    }
}

extension ServerAuthority: CustomStringConvertible {
    var description: String { host + port }
}
