// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import WebArchive

/// A request, and the digest of the body that came with it.
public struct ReplayRequest: Sendable {
    /// The rule by which the URL of a request is found.
    public enum Addressing: Sendable {
        /// The origin of the main page stands at `/`, whatever the host that the client speaks to.
        case mainPageOrigin
        /// Each URL at its own origin, as a proxy is asked.
        case ownOrigins
    }

    /// Method, scheme, authority, path and fields, as RFC 9110 section 7.1 takes the target apart.
    public var head: HTTPRequest
    /// MD5 of the content; nil for none.
    public var bodyDigest: ContentDigest?
    /// The way in which the request names its origin.
    public var addressing: Addressing

    /// Whether the content may be sent in a coding that the client accepts. The fields of a recorded origin stay as they are, so that this
    /// concerns requests by ``Addressing/mainPageOrigin`` alone.
    package var mayBeCoded = false

    /// Creates a request from its head.
    public init(_ head: HTTPRequest, bodyDigest: ContentDigest? = nil, addressing: Addressing = .ownOrigins) {
        self.head = head
        self.addressing = addressing
        self.bodyDigest = bodyDigest
    }

    /// A request for an absolute URL, taken apart as RFC 3986 section 3 says. A fragment is no part of a request.
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
