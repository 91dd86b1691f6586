// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import WebArchive

/// A request, and the digest of the body that came with it.
public struct ReplayRequest: Sendable {
    /// The way to derive the URL of a request from its head: at the main page's origin, or at its own.
    public enum Addressing: Sendable {
        /// The origin of the main page is at `/`, whatever the host that the client speaks to: scheme and authority of the head are
        /// ignored.
        ///
        /// A `Location` that leads to that origin is rewritten to a path. The server of `WebArchiveServer` adds `Cache-Control: no-cache`
        /// to a response that tells no freshness, as another archive may be at this address tomorrow.
        case mainPageOrigin
        /// Each URL at its own origin, as a proxy is asked. A stored `Location` stays as it is.
        case ownOrigins
    }

    /// Method, scheme, authority, path and fields, as RFC 9110 section 7.1 takes the target apart.
    ///
    /// The path begins with `/` and has the query with it; any other one, and for ``Addressing/ownOrigins`` a missing scheme or authority,
    /// is answered with 400.
    public var head: HTTPRequest
    /// The MD5 of the content, by which a stored exchange is found (specification section 8.5); nil for none.
    public var bodyDigest: ContentDigest?
    /// The way in which the request names its origin.
    public var addressing: Addressing

    /// Whether the content may be sent in a coding that the client accepts. The fields of a recorded origin stay as they are, so that this
    /// concerns requests by ``Addressing/mainPageOrigin`` alone.
    package var mayBeCoded = false

    /// Creates a request from its head.
    ///
    /// - Parameters:
    ///   - head: method, target and fields.
    ///   - bodyDigest: the MD5 of the content; nil, as by default, for a request without content.
    ///   - addressing: ``Addressing/ownOrigins`` by default.
    public init(_ head: HTTPRequest, bodyDigest: ContentDigest? = nil, addressing: Addressing = .ownOrigins) {
        self.head = head
        self.addressing = addressing
        self.bodyDigest = bodyDigest
    }

    /// Creates a request for an absolute URL at its own origin, taken apart as RFC 3986 section 3 says.
    ///
    /// Nothing is checked: ``ReplayResponder/respond(to:)`` answers a text that is not a URL with 400.
    ///
    /// - Parameters:
    ///   - method: GET by default.
    ///   - url: the URL with its scheme. A fragment is not a part of a request, and is left out.
    ///   - headerFields: none by default. What a stored `Vary` names is compared with them.
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

    /// Whether the response may be a page: false where a browser says that it asks for a part of one, such as a script or an image.
    var mayShowPage: Bool {
        if let destination = head.headerFields[.fetchDestination] {
            return ["document", "iframe", "frame", "embed", "object"].contains(destination)
        }
        // Browsers name pages for navigations, and `*/*` or the types of images and style sheets for their parts.
        guard let accepted = head.headerFields[.accept], isOfBrowser else { return true }
        return accepted.asciiLowercased.contains("text/html")
    }

    private var isOfBrowser: Bool { head.headerFields[.userAgent]?.hasPrefix("Mozilla/") == true }

    /// Whether a browser asks for a page to show, and not for a part of one.
    package var isNavigation: Bool {
        if let mode = head.headerFields[.secFetchMode] { return mode == "navigate" }
        // To http:// pages browsers send no Sec-Fetch fields.
        return head.headerFields[.upgradeInsecureRequests] == "1"
    }
}
