// SPDX-License-Identifier: Apache-2.0

/// A request that a page sent while it was replayed, with the archive's way to respond.
package struct ReplayedRequest: Hashable, Sendable {
    /// A way to respond.
    package enum Answer: Hashable, Sendable {
        /// By the response to this very request.
        case exact
        /// By the response to another request, which rules lead to. The rules are phrases for people.
        case byRule([String], entry: RequestIdentity?)
        /// Not at all, with the reason, and the nearest entries.
        case missed(String, near: [String])
        /// Not at all, although the archive has the response, with the reason.
        case notReplayed(String)
        /// By the browser itself, such as from its memory or a service worker, or not at all, if a policy of the page forbids the request. The
        /// reason is nil if there was a response.
        case unsent(String?)
        /// Not at all: it was an attempt at something that is not the proxy, with the kind of the attempt.
        case leaked(String)
    }

    /// The request, and the response that the archive has.
    package let identity: RequestIdentity
    /// The way to respond.
    package let answer: Answer

    /// Creates a request.
    package init(_ identity: RequestIdentity, _ answer: Answer) {
        (self.identity, self.answer) = (identity, answer)
    }
}

/// A request of a page with its class.
package struct ClassifiedRequest: Hashable, Sendable {
    /// The request, and the response that the archive has, or that the crawl had, for one that was not sent again.
    package let identity: RequestIdentity
    /// The class.
    package let requestClass: RequestClass
    /// The rules by which the response was found; empty unless the class is ``RequestClass/byRule``.
    package var rules: [String] = []
    /// The reason for a miss or for a response that is not replayed, the kind of a leak, or the difference of a new one; nil otherwise.
    package var reason: String?
    /// The entries of the archive near a miss.
    package var near: [String] = []
}
