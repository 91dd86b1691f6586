// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import WebArchive

/// A request, with the digest of its body.
public struct ReplayRequest: Sendable {
    /// The derivation of the URL of a request from its head: at the main page's origin, or at its own.
    public enum Addressing: Sendable {
        /// The origin of the main page is at `/`, for any host that the client names: scheme and authority of the head are
        /// ignored.
        ///
        /// A `Location` with that origin is rewritten to a path. The server of `WebArchiveServer` adds `Cache-Control: no-cache`
        /// to a response without freshness information, since the archive at this address may change.
        case mainPageOrigin
        /// Each URL is at its own origin, as for a proxy. A stored `Location` does not change.
        case ownOrigins
    }

    /// The method, scheme, authority, path and fields, by RFC 9110 section 7.1.
    ///
    /// The path begins with `/` and includes the query; the response to any other one, and for ``Addressing/ownOrigins`` to a missing scheme
    /// or authority, is 400.
    public var head: HTTPRequest
    /// The MD5 of the content, which selects a stored exchange (specification section 8.5); nil for none.
    public var bodyDigest: ContentDigest?
    /// The content, if it has at most 64 KiB, for the rule ``MatchRule/similarContent``; nil, the default, for none that is compared.
    ///
    /// Its digest is ``bodyDigest``.
    public var content: [UInt8]?
    /// The derivation of the request's origin.
    public var addressing: Addressing
    /// The wanted time: the nearest capture is the response (specification section 8.5). Nil, the default, for the
    /// time of an `Accept-Datetime` field by ``Addressing/ownOrigins`` (RFC 7089 section 2.1.1), else for that of the ``ReplaySite``.
    public var time: ArchiveTime?

    /// Whether the content may be sent in a coding that the client accepts. The fields of a recorded origin do not change, so this
    /// applies only to requests by ``Addressing/mainPageOrigin``.
    package var mayBeCoded = false

    /// Creates a request from its head.
    ///
    /// - Parameters:
    ///   - head: the method, target and fields.
    ///   - bodyDigest: the MD5 of the content; nil, as by default, for a request without content.
    ///   - addressing: the addressing; ``Addressing/ownOrigins`` by default.
    public init(_ head: HTTPRequest, bodyDigest: ContentDigest? = nil, addressing: Addressing = .ownOrigins) {
        self.head = head
        self.addressing = addressing
        self.bodyDigest = bodyDigest
    }

    /// Creates a request for an absolute URL at its own origin, split by RFC 3986 section 3.
    ///
    /// It checks nothing: the response of ``ReplayResponder/respond(to:)`` to a text that is not a URL is 400.
    ///
    /// The addressing is ``Addressing/ownOrigins``, and there is no digest of content.
    ///
    /// - Parameters:
    ///   - method: the method; GET by default.
    ///   - url: the URL with its scheme. A fragment is not a part of a request, and is left out.
    ///   - headerFields: the header fields; none by default. Those that a stored `Vary` names are compared with them.
    public init(method: HTTPRequest.Method = .get, _ url: String, headerFields: HTTPFields = [:]) {
        let target = url.prefix { $0 != "#" }
        let scheme = target.prefix { $0 != ":" }
        var rest = target[scheme.endIndex...].dropFirst()
        var authority: String?
        if rest.hasPrefix("//") {
            authority = String(rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" })
            rest = rest.dropFirst(2).drop { $0 != "/" && $0 != "?" }
        }
        head = HTTPRequest(
            method: method, scheme: String(scheme), authority: authority,
            path: rest.hasPrefix("/") ? String(rest) : "/" + rest, headerFields: headerFields)
        addressing = .ownOrigins
    }

    /// Whether the response may be a page: false if a browser requests a part of one, such as a script or an image.
    ///
    /// A browser shows a page in place of a missing one; in place of a missing image it would be useless.
    ///
    /// Without Fetch Metadata (`Sec-Fetch-Dest`) it depends on `Accept`, and programs other than browsers may show
    /// pages.
    var mayShowPage: Bool {
        if let destination = head.headerFields[.fetchDestination] {
            return ["document", "iframe", "frame", "embed", "object"].contains(destination)
        }
        // Browsers name pages for navigations, and `*/*` or the types of images and style sheets for their parts.
        guard let accepted = head.headerFields[.accept], isOfBrowser else { return true }
        return accepted.asciiLowercased.contains("text/html")
    }

    /// Whether the user agent names itself as all browsers do, with `Mozilla/`.
    private var isOfBrowser: Bool { head.headerFields[.userAgent]?.hasPrefix("Mozilla/") == true }

    /// Whether a browser requests a page, and not a part of one.
    ///
    /// Requests for frames are navigations as well.
    package var isNavigation: Bool {
        if let mode = head.headerFields[.secFetchMode] { return mode == "navigate" }
        // To http:// pages browsers send no Sec-Fetch fields.
        return head.headerFields[.upgradeInsecureRequests] == "1"
    }
}
