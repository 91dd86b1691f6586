// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// A request of a page, one of its frames or one of its workers, as the browser reported it. Each hop of a redirect is a request.
package struct VisitedRequest: Hashable, Sendable {
    /// The method, such as `GET`.
    package var method: String
    /// The absolute URL, without a fragment; of the schemes `http`, `https`, `ws` and `wss` alone.
    package var url: String
    /// The status of the response; 0 if there was none before the end of the visit.
    package var status = 0
    /// Whether the request had a body.
    package var hasContent = false
    /// The MD5 of the request's body; nil without one, and if the browser does not give it.
    package var content: ContentDigest?
    /// The browser's reason why there was no response, such as `net::ERR_CONNECTION_REFUSED`; nil if there was one.
    package var failure: String?
    /// Whether it was for the document of a frame, the page's own included.
    package var isFrame: Bool

    package init(method: String, url: String, isFrame: Bool) {
        (self.method, self.url, self.isFrame) = (method, url, isFrame)
    }
}
