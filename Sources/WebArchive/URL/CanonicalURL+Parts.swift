// SPDX-License-Identifier: Apache-2.0

/// The parts of a canonical URL, found on demand: only the bytes are stored, and finding a part is a short scan.
extension CanonicalURL {
    /// The lower-case scheme without ":" (RFC 3986 section 3.1).
    public var scheme: ArraySlice<UInt8> {
        bytes[..<schemeEnd]
    }

    /// Whether the scheme is http, https, ws, wss or ftp, which have a host and a default port (specification section
    /// 8.1, step 3).
    public var isSpecial: Bool {
        URLScheme.defaultPort(scheme) != nil
    }

    /// Whether the scheme is http or https.
    package var isOfHTTP: Bool { scheme.elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8) }

    /// The authority: userinfo, host and port (RFC 3986 section 3.2); nil for an opaque URL such as "urn:a:b".
    ///
    /// It may be empty where the scheme is not special, as in "file:///etc".
    public var authority: ArraySlice<UInt8>? {
        let rest = bytes[schemeEnd...].dropFirst()
        guard rest.starts(with: "//".utf8) else { return nil }
        return rest.dropFirst(2).prefix { $0 != .ascii("/") && $0 != .ascii("?") }
    }

    /// The userinfo: the part of the authority before its last "@" (RFC 3986 section 3.2.1); nil if there is no "@".
    public var userinfo: ArraySlice<UInt8>? {
        guard let authority, let at = authority.lastIndex(of: .ascii("@")) else { return nil }
        return authority[..<at]
    }

    /// The host in lower case (RFC 3986 section 3.2.2), an IP literal with its brackets; nil for an opaque URL.
    ///
    /// It is empty only where the scheme is not special.
    public var host: ArraySlice<UInt8>? {
        guard let hostAndPort else { return nil }
        return hostAndPort[..<hostEnd(hostAndPort)]
    }

    /// The port, 0 to 65,535 (RFC 3986 section 3.2.3); nil if it is the scheme's default, or there is none.
    public var port: UInt16? {
        guard let hostAndPort else { return nil }
        let digits = hostAndPort[hostEnd(hostAndPort)...].dropFirst()
        return digits.isEmpty ? nil : UInt16(String(decoding: digits, as: UTF8.self))
    }

    /// The URL up to its path: the scheme, ":", and "//" with the authority if there is one.
    public var root: ArraySlice<UInt8> {
        bytes[..<(authority?.endIndex ?? bytes[schemeEnd...].dropFirst().startIndex)]
    }

    /// Returns whether scheme, host and port are the same (RFC 9110 section 4.3.1); false without a host.
    package func hasOrigin(of other: CanonicalURL) -> Bool {
        host != nil && scheme == other.scheme && host == other.host && port == other.port
    }

    /// The path (RFC 3986 section 3.3). It begins with "/" in every URL of a special scheme.
    ///
    /// It has no dot segments, unless the URL is opaque.
    public var path: ArraySlice<UInt8> {
        bytes[root.endIndex...].prefix { $0 != .ascii("?") }
    }

    /// The query, after the first "?" (RFC 3986 section 3.4): nil without "?", empty with nothing after it.
    public var query: ArraySlice<UInt8>? {
        let rest = bytes[path.endIndex...]
        return rest.isEmpty ? nil : rest.dropFirst()
    }

    private var schemeEnd: Int {
        bytes.firstIndex(of: .ascii(":")) ?? bytes.endIndex
    }

    private var hostAndPort: ArraySlice<UInt8>? {
        guard let authority else { return nil }
        return userinfo.map { authority[$0.endIndex...].dropFirst() } ?? authority
    }

    private func hostEnd(_ hostAndPort: ArraySlice<UInt8>) -> Int {
        let searched = hostAndPort.lastIndex(of: .ascii("]")) ?? hostAndPort.startIndex
        return hostAndPort[searched...].firstIndex(of: .ascii(":")) ?? hostAndPort.endIndex
    }
}
