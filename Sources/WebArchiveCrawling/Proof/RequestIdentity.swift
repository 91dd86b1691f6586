// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// A request of a page as a proof compares it: its method, its URL, and the digests of both bodies.
package struct RequestIdentity: Hashable, Sendable {
    /// The method.
    package let method: String
    /// The canonical URL (specification section 8.1), or the URL as given if it has none.
    package let url: String
    /// The MD5 of the request's body; nil for a request without one.
    package let content: ContentDigest?
    /// The MD5 of the response's body; nil if it has none, or it is unknown.
    package let body: ContentDigest?

    /// The digest of a body without bytes, which is the same as none.
    private static let empty = ContentDigest(hashing: [])

    /// Creates an identity from a URL in any spelling.
    ///
    /// - Parameters:
    ///   - method: the method; `GET` by default.
    ///   - url: the URL, whose fragment does not count.
    ///   - content: the digest of the request's body; nil by default. That of no bytes counts as nil.
    ///   - body: the digest of the response's body, likewise.
    package init(method: String = "GET", url: String, content: ContentDigest? = nil, body: ContentDigest? = nil) {
        self.method = method
        self.url = (try? CanonicalURL(url))?.description ?? String(url.prefix { $0 != "#" })
        self.content = content == Self.empty ? nil : content
        self.body = body == Self.empty ? nil : body
    }

    init(_ request: ObservedRequest) {
        self.init(method: request.method, url: request.url, content: request.content, body: request.body)
    }

    /// The identity without the response.
    package var asked: RequestIdentity { RequestIdentity(method: method, url: url, content: content) }

    /// Returns the identity with another response.
    package func responded(_ body: ContentDigest?) -> RequestIdentity {
        RequestIdentity(method: method, url: url, content: content, body: body)
    }

    /// Whether it is for the icon of a host that browsers request by themselves, once for several pages.
    package var isForIcon: Bool { (try? CanonicalURL(url))?.path.elementsEqual("/favicon.ico".utf8) == true }

    /// Whether it goes to a network: not `data:` and `blob:`, which the browser makes itself.
    package var isOfNetwork: Bool {
        let scheme = url.prefix { $0 != ":" }.asciiLowercased
        return !["about", "blob", "chrome", "chrome-extension", "data", "devtools", "javascript"].contains(scheme)
    }
}

extension RequestIdentity: Comparable {
    /// Compares by URL, method, body of the request, and body of the response.
    package static func < (left: RequestIdentity, right: RequestIdentity) -> Bool {
        guard left.url == right.url else { return left.url.utf8.lexicographicallyPrecedes(right.url.utf8) }
        guard left.method == right.method else { return left.method.utf8.lexicographicallyPrecedes(right.method.utf8) }
        return left.digests.lexicographicallyPrecedes(right.digests)
    }

    private var digests: [UInt64] { content.words + body.words }
}
