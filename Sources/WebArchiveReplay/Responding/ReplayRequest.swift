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
    public var addressing: Addressing

    public init(_ head: HTTPRequest, bodyDigest: ContentDigest? = nil, addressing: Addressing = .ownOrigins) {
        self.head = head
        self.addressing = addressing
        self.bodyDigest = bodyDigest
    }

    /// A request for a URL.
    public init(method: HTTPRequest.Method = .get, _ url: String, headerFields: HTTPFields = [:]) {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        head = HTTPRequest(
            method: method, scheme: parts.first.map { String($0.dropLast()) },
            authority: parts.count > 2 ? String(parts[2]) : nil,
            path: "/" + (parts.count > 3 ? parts[3] : ""), headerFields: headerFields)
        addressing = .ownOrigins
    }

    /// Whether a browser asks for a page to show, and not for a part of one.
    package var isNavigation: Bool {
        if let mode = head.headerFields[.secFetchMode] { return mode == "navigate" }
        // To http:// pages browsers send no Sec-Fetch fields.
        return head.headerFields[.upgradeInsecureRequests] == "1"
    }
}
