// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import WebArchive

/// A response whose content is sent in a coding that the client accepts.
///
/// It is a different representation than the uncoded bytes, with an entity tag of its own (RFC 9110 section 8.8.3.3). A request for a range
/// is for the uncoded bytes.
struct CodedResponse {
    /// The response with the coded content, or 304 or 412 by the conditions of the request.
    let response: ReplayResponse

    /// The maximum length of content that is coded while other connections wait, in bytes.
    ///
    /// Longer content is left to a worker, since coding blocks the thread.
    private static let maximumQuickContentLength: UInt64 = 32 << 10

    /// Codes the content, or takes it from the cache; nil if the client gets the uncoded bytes.
    ///
    /// A client gets the uncoded bytes if its request is neither GET nor HEAD or has a `Range`, if it accepts no known
    /// coding, if the cache could not keep the result, or if coding makes the content no shorter.
    ///
    /// - Parameters:
    ///   - stored: the response, whose content may be coded; see ``StoredResponse/isCompressible``.
    ///   - request: the request with its conditions.
    ///   - cache: the cache of coded content, which other requests share.
    ///   - budget: the budget, which a quick request with long content uses up.
    /// - Throws: `damaged` or `io`; `limitExceeded` for a quick request that takes longer than that.
    init?(
        _ stored: StoredResponse, _ request: ReplayRequest, _ cache: ReplayCache, _ budget: DecodingBudget
    ) throws(ArchiveError) {
        let (requestFields, method) = (request.head.headerFields, request.head.method)
        guard method == .get || method == .head, requestFields[.range] == nil,
            let coding = requestFields[.acceptEncoding].flatMap({ ContentCoding(accepted: $0) }),
            let body = stored.body,
            let content = try Self.content(of: stored, body, coding, cache, budget)
        else { return nil }
        var fields = stored.fields
        let tag = stored.entityTag.map { "\($0.dropLast())-\(coding.rawValue)\"" }
        fields[.eTag] = tag
        fields[.acceptRanges] = nil
        fields[.contentEncoding] = coding.rawValue
        fields[.contentLength] = String(content.readableBytes)
        let conditions = Preconditions(entityTag: tag, modified: stored.modified)
        switch RepresentationSelection(
            conditions, length: UInt64(content.readableBytes), range: nil,
            field: { stored.condition($0, of: requestFields) })
        {
        case .preconditionFailed: response = .preconditionFailed
        case .notModified: response = .notModified(fields)
        case .ranges, .whole:
            response = ReplayResponse(
                HTTPResponse(status: stored.status, headerFields: fields), method == .head ? [] : [.bytes(content)],
                outcome: .responded)
        }
    }

    /// Returns the content in a coding, from the cache or newly coded; nil if that is not shorter, which the cache remembers as well.
    ///
    /// A quick request with longer content uses its budget up here, so that a worker codes it.
    ///
    /// Two threads that code the same content at once both do the work. The content is in memory as a whole for that.
    ///
    /// - Parameter body: the body of the response, by whose identity the cache has it.
    private static func content(
        of stored: StoredResponse, _ body: ArchiveBody, _ coding: ContentCoding, _ cache: ReplayCache,
        _ budget: DecodingBudget
    ) throws(ArchiveError) -> ByteBuffer? {
        // Content that the cache cannot keep would be coded for each request.
        guard body.length <= cache.capacity / 8 else { return nil }
        if let known = cache[body.identity, coding] { return known.readableBytes > 0 ? known : nil }
        // A worker takes the time.
        if budget.isQuick, body.length > maximumQuickContentLength { try budget.take(1 << 40) }
        var plain = ByteBuffer()
        if let content = stored.content {
            plain = content
        } else {
            plain.reserveCapacity(Int(body.length))
            try body.forEachBuffer { chunk throws(ArchiveError) in plain.writeBytes(chunk) }
        }
        let coded = coding.encoded(plain)
        cache[body.identity, coding] = coded ?? ByteBuffer()
        return coded
    }
}
