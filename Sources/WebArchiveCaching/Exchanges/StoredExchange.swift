// SPDX-License-Identifier: Apache-2.0

/// A stored exchange: in an archive, or pending for the next commit.
package struct StoredExchange: Sendable {
    /// The canonical URL under which it is found.
    package let url: CanonicalURL
    /// The request: its method, its original URL, and its header fields, which `Vary` is compared with.
    package let request: ArchiveRequest
    /// The response, without its body.
    package let response: ArchiveResponse
    /// The body of the response; nil for an empty one.
    package let body: StoredBody?
    /// The time of the response; nil if it is unknown.
    package let time: ArchiveTime?
    /// The body of the request; nil for none.
    package var requestBody: StoredBody?

    /// Creates an exchange from its parts.
    ///
    /// - Parameters:
    ///   - url: the canonical URL under which it is found.
    ///   - request: the request, without its body.
    ///   - response: the response, without its body.
    ///   - body: nil for a body of no bytes.
    ///   - time: nil if it is unknown.
    ///   - requestBody: nil, as by default, for none.
    package init(
        url: CanonicalURL, request: ArchiveRequest, response: ArchiveResponse, body: StoredBody?, time: ArchiveTime?,
        requestBody: StoredBody? = nil
    ) {
        self.url = url
        self.request = request
        self.response = response
        self.body = body
        self.time = time
        self.requestBody = requestBody
    }
}

extension StoredExchange {
    /// Creates the exchange that an entry stores.
    ///
    /// - Parameter status: the status in place of the entry's own, for content that a redirect rule sends with an error.
    /// - Throws: `damaged` or `io`; `notFound` if the entry has no response.
    package init(_ entry: ArchiveEntry, url: CanonicalURL, status: Int? = nil) throws(ArchiveError) {
        guard var response = try entry.response else {
            throw ArchiveError(.notFound, "\(url) is stored without a response", path: entry.archive.name)
        }
        if let status { (response.status, response.reason) = (status, "") }
        self.init(
            url: url, request: try entry.request, response: response, body: try entry.body.map(StoredBody.archived),
            time: try entry.time, requestBody: try entry.requestBody.map(StoredBody.archived))
    }
}
