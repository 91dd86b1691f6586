// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A response whose record refers to another one for its body. ISO 28500 section 6.7.
struct Revisit {
    /// The response without its body.
    var response: ArchiveResponse
    /// The references to the other record.
    let names: PayloadTable.Names
    /// Whether the record had no head: the fields are those of the other response then.
    let isHeadless: Bool

    /// The number of bytes in memory, for limits.
    var length: Int {
        [names.label, names.identifier, names.url, names.date].reduce(response.headers.length) {
            $0 + ($1?.utf8.count ?? 0)
        }
    }

    /// Returns the response for a body.
    func response(for payload: PayloadTable.Payload) -> ArchiveResponse {
        var found = response
        found.codings = payload.codings
        if isHeadless, let type = payload.mediaType { found = ArchiveResponse(headers: ["Content-Type": type]) }
        found.isDerived = isHeadless
        return found
    }
}

/// The request of an exchange, as it is stored.
struct SentRequest {
    var request: ArchiveRequest
    var body: CommitBuilder.BodyReference?
    var original = OriginalBodies.Message()
}

/// A revisit whose body can still come.
struct DeferredRevisit {
    let sent: SentRequest
    let revisit: Revisit
    let time: ArchiveTime?

    /// The number of bytes in memory, for limits.
    var length: Int { 512 + revisit.length + sent.request.url.utf8.count + sent.request.headers.length }
}
