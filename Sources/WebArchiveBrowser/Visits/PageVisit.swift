// SPDX-License-Identifier: Apache-2.0

/// The result of one visit of a page by a browser.
package struct PageVisit: Sendable {
    /// The end of a visit.
    package enum Outcome: Hashable, Sendable {
        /// The page loaded.
        case loaded
        /// The page did not load, or not to its end, within the time; the visit has the requests so far.
        case timedOut
        /// The process of the page ended.
        case crashed
        /// The browser could not load the page, for this reason of its own, such as `net::ERR_CONNECTION_REFUSED`.
        case failed(String)
        /// The URL is that of a file, which the browser would have saved.
        case download
        /// The browser ended, or its connection failed.
        case browserEnded
        /// The URL is not one of `http` or `https`. The browser did not get it, since it opens files of this machine as well.
        case refused
    }

    /// The URL that was visited, as given.
    package let url: String
    /// The end of the visit.
    package var outcome: Outcome
    /// The URL of the document after all redirects, those of scripts and of `meta refresh` included, without a fragment.
    package var finalURL: String
    /// The status of the document; 0 if it is unknown.
    package var status = 0
    /// The field `Retry-After` of the document's response; nil without one.
    package var retryAfter: String?
    /// The title of the document; nil if it has none.
    package var title: String?
    /// The visible text of the document, at most 1 Mi characters.
    package var text = ""
    /// The absolute URLs of the links of the document and its frames, `http` and `https` alone, without fragments, none of them twice.
    package var links: [String] = []
    /// The absolute URLs of resources that the document has for other screens, such as those of `srcset`, and of those that scripts would load later.
    package var resources: [String] = []
    /// The requests of the page, its frames and its workers, in the order in which they ended.
    package var requests: [VisitedRequest] = []
    /// Whether there were too many requests to list all.
    package var isTruncated = false
    /// Whether the page became idle; false for one that sends requests without end.
    package var isIdle = false
    /// The texts that documents reported by ``VisitOptions/reporter``, at most 1,000. Scripts of the page may have reported any of them.
    package var reports: [String] = []
    /// A picture of the top of the document, a PNG; nil without one.
    package var screenshot: [UInt8]?

    package init(url: String, outcome: Outcome) { (self.url, self.outcome, finalURL) = (url, outcome, url) }
}
