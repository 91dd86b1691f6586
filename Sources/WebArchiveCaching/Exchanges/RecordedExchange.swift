// SPDX-License-Identifier: Apache-2.0

/// An exchange that is to be recorded. A redirect is one of its own.
struct RecordedExchange: Sendable {
    /// Method, URL as it was asked for, and header fields.
    var request: ArchiveRequest
    /// Body of the request; nil for none.
    var requestBody: StoredBody?
    var answer: ArchiveAnswer
    /// Body of the answer, with all its bytes; nil for none.
    var body: StoredBody?
    /// When the answer came.
    var time: ArchiveTime

    init(
        request: ArchiveRequest, requestBody: StoredBody? = nil, answer: ArchiveAnswer, body: StoredBody? = nil,
        time: ArchiveTime
    ) {
        self.request = request
        self.requestBody = requestBody
        self.answer = answer
        self.body = body
        self.time = time
    }

    init(
        request: ArchiveRequest, requestBody: SpooledBody? = nil, answer: ArchiveAnswer, body: SpooledBody?,
        time: ArchiveTime
    ) {
        self.init(
            request: request, requestBody: requestBody.map(StoredBody.spooled), answer: answer,
            body: body.map(StoredBody.spooled), time: time)
    }
}

/// The key of a lookup, but for the fields that `Vary` names: exchanges of one key are used, and age, together.
struct RequestKey: Hashable, Sendable {
    let url: CanonicalURL
    /// Case-sensitive.
    let method: String
    /// Digest of the request's body; nil for none.
    let bodyDigest: ContentDigest?
}
