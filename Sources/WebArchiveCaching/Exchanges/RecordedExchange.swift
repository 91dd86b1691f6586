// SPDX-License-Identifier: Apache-2.0

/// An exchange to record. A redirect is a separate one.
struct RecordedExchange: Sendable {
    /// The request: its method, its original URL, and its header fields.
    var request: ArchiveRequest
    /// The body of the request; nil for none.
    var requestBody: StoredBody?
    var response: ArchiveResponse
    /// The body of the response, with all its bytes; nil for none.
    var body: StoredBody?
    /// The time of the response.
    var time: ArchiveTime

    init(
        request: ArchiveRequest, requestBody: StoredBody? = nil, response: ArchiveResponse, body: StoredBody? = nil,
        time: ArchiveTime
    ) {
        self.request = request
        self.requestBody = requestBody
        self.response = response
        self.body = body
        self.time = time
    }

    init(
        request: ArchiveRequest, requestBody: SpooledBody? = nil, response: ArchiveResponse, body: SpooledBody?,
        time: ArchiveTime
    ) {
        self.init(
            request: request, requestBody: requestBody.map(StoredBody.spooled), response: response,
            body: body.map(StoredBody.spooled), time: time)
    }
}

/// The cache key of a request without the fields that `Vary` names. Exchanges of one key share their time of last use.
struct RequestKey: Hashable, Sendable {
    let url: CanonicalURL
    /// The method, case-sensitive.
    let method: String
    /// The digest of the request's body; nil for none.
    let bodyDigest: ContentDigest?
}
