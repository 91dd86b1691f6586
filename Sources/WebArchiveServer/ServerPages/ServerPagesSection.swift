// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import WebArchiveReplay

/// A section of the server's own pages, such as the explorer. The pages of the machine, health and metrics, are in none.
protocol ServerPagesSection: Sendable {
    /// Returns whether a path, without its query, is that of a page.
    ///
    /// Pages of a section read archives: their responses are made where no event loop waits for them.
    func contains(_ path: String) -> Bool

    /// Returns the response to a GET or HEAD request; nil if the section has no such page.
    func response(to request: ServerPageRequest) -> ReplayResponse?
}

/// A request for one of the server's own pages, with the state of the server that a page may show.
struct ServerPageRequest {
    /// The head of the request, as the client sent it.
    let head: HTTPRequest
    /// The path without the query.
    let path: String
    /// The query; empty if there is none.
    let query: Substring
    /// The responder of the site; nil without a site.
    let responder: ReplayResponder?
    /// The response that explains the missing site, for a person; nil with a site.
    let withoutSite: ReplayResponse?
    /// The misses since the start of the server.
    let misses: MissingPageLog

    /// Whether the response has no content (RFC 9110 section 9.3.2).
    var isHead: Bool { head.method == .head }

    /// Divides the target of a request into path and query.
    init(_ head: HTTPRequest, responder: ReplayResponder?, withoutSite: ReplayResponse?, misses: MissingPageLog) {
        let target = head.path?.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false) ?? []
        self.head = head
        path = String(target.first ?? "")
        query = target.count > 1 ? target[1] : ""
        (self.responder, self.withoutSite) = (responder, withoutSite)
        self.misses = misses
    }
}
