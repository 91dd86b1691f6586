// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveInterchange

/// An exchange as an archive stores it: without the codings of its content, and without credentials.
struct StoredForm: Sendable {
    let request: ArchiveRequest
    let requestBody: SpooledBody?
    let response: ArchiveResponse
    let body: SpooledBody?
    /// The content as it was received, where that is kept and differs from the body.
    let wire: SpooledBody?
    /// The head as it was received, where it is not the serialised one.
    let originalHead: [UInt8]?
    let time: ArchiveTime
    let length: UInt64
    let fileCount: Int
    let digest: ContentDigest?
    let requestDigest: ContentDigest?

    /// - Throws: `io`; `limitExceeded` without memory.
    init(_ captured: CapturedExchange, _ options: StoringOptions) throws(ArchiveError) {
        var (request, head) = (captured.request, captured.head)
        if !options.keepsCredentials { CredentialFields.strip(&request.headers, &head.fields) }
        for name in options.withheldFields { request.headers.removeAll(named: name) }
        var (body, removed) = (captured.content, [String]())
        if let content = captured.content {
            // The content has no chunks any more, and could look as if it had.
            var decoded: UInt64 = 0
            let received = try ReceivedContent(content, Self.withoutChunks(head.fields)) { count throws(ArchiveError) in
                decoded = decoded.addingSaturated(UInt64(count))
                guard decoded <= options.maximumBodyLength else {
                    throw .bodyTooLong(maximumLength: options.maximumBodyLength)
                }
            }
            (body, removed) = (received.body, received.removed)
        }
        if captured.isChunked { removed.append("chunked") }
        var response = ArchiveResponse(
            status: head.status, headers: head.fields, address: captured.address, codings: removed)
        response.reasonBytes = head.reason
        response.version = head.version
        response.truncation = captured.truncation
        let wire = captured.wire ?? (removed.isEmpty ? nil : captured.content)
        (self.request, self.response, self.body) = (request, response, body)
        requestBody = captured.requestBody
        self.wire = options.keepsOriginals ? wire : nil
        // One with credentials stays out as well.
        originalHead = head.fields == captured.head.fields ? Self.originalHead(head) : nil
        time = captured.time
        digest = try body?.digest()
        requestDigest = try requestBody?.digest()
        let bodies = [requestBody, body, self.wire].compactMap { $0 }
        length = bodies.reduce(UInt64(1024 + 64 * (request.headers.count + head.fields.count))) { $0 + $1.length }
        fileCount = bodies.count { $0.isInFile }
    }

    private static func withoutChunks(_ fields: HeaderFields) -> HeaderFields {
        HeaderFields(
            fields.map { field in
                guard field.isNamed("Transfer-Encoding") else { return field }
                let kept = field.value.split(separator: ",")
                    .filter { $0.trimmingOptionalWhitespace.asciiLowercased != "chunked" }
                return HeaderField(name: field.name, value: kept.joined(separator: ","))
            })
    }

    /// Returns the bytes of a head if they are not the serialised ones: specification section 7.1.
    private static func originalHead(_ head: ReceivedHead) -> [UInt8]? {
        guard let bytes = head.bytes else { return nil }
        let line = StatusLine.bytes(version: head.version, status: head.status, reason: head.reason)
        return bytes == MessageHead.serialised(line, head.fields) ? nil : bytes
    }
}
