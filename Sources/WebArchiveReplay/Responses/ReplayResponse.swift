// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import NIOCore
public import WebArchive

/// A response: its head, and the parts of its content, which are assembled when it is sent.
///
/// A body of at most 256 KiB is in memory already, shared with the responder's cache; a longer one is read and checked block by block, by the
/// caller that sends it.
public struct ReplayResponse: Sendable {
    /// A piece of content.
    public enum Part: Sendable {
        /// Bytes in memory; sending them copies nothing.
        case bytes(ByteBuffer)
        /// Bytes of a body, in memory or read and checked block by block as they are sent. The range is in bytes from the start of the body; a responder
        /// returns no empty one.
        case body(ArchiveBody, Range<UInt64>)

        /// The length of the piece, in bytes.
        public var length: UInt64 {
            switch self {
            case .bytes(let bytes): UInt64(bytes.readableBytes)
            case .body(_, let range): UInt64(range.count)
            }
        }
    }

    /// The outcome of a request, for logs and counters.
    public enum Outcome: Sendable {
        /// A response of an archive, or of a publisher's rule.
        case responded
        /// A request without a response in any archive; the head has status 404, 405 or 504, and 204 or 200 where the server puts an empty response or a script in its place.
        case missing
        /// A response of an archive that cannot be read; the head has status 500.
        case failed(ArchiveError)
        /// A response of the server itself: a page of its own, or a refusal.
        case own
    }

    /// The status and the header fields, complete: it includes `Content-Length`, if the status allows it (RFC 9110 section 8.6).
    public var head: HTTPResponse {
        didSet { prepared = nil }
    }
    /// The server's own form of the fields of ``head``, if they are those of a stored response; see ``FieldPreparation``.
    package var prepared: (any AnyObject & Sendable)?
    /// The pieces of the content, in their order; none for HEAD, and for a status without content.
    public var parts: [Part]
    /// The outcome, for logs and counters.
    public var outcome: Outcome
    /// The canonical URL that was looked up (specification section 8.1); nil without one.
    public var url: CanonicalURL?
    /// The rules by which the entry was found (specification section 8.5); none for a response without an entry, and from the cache.
    package var rules: [MatchRule] = []
    /// The cache for the blocks of the content.
    package var cache: ReplayCache?
    /// The body of the parts as a whole, if it is in memory. A response that waits keeps none: the cache may have lost it by then, so that it is no longer shared.
    package var bodyInMemory: ByteBuffer?

    /// Whether the head lacks `Cache-Control: no-cache`, which the server adds: the fields of a stored response are shared.
    package private(set) var mustBeRevalidated = false

    /// Requires clients to revalidate before they reuse the response, unless it states its own freshness: the archive
    /// at this address may change.
    ///
    /// It changes no field: the server adds `Cache-Control: no-cache` when it sends the head.
    mutating func requireRevalidation() {
        let fields = head.headerFields
        mustBeRevalidated = !fields.contains(.cacheControl) && !fields.contains(.expires)
    }

    /// Creates a response without a cache.
    ///
    /// - Parameters:
    ///   - head: the status and all header fields.
    ///   - parts: the content; none by default.
    ///   - outcome: the outcome for logs and counters.
    ///   - url: the canonical URL that was looked for.
    package init(_ head: HTTPResponse, _ parts: [Part] = [], outcome: Outcome, url: CanonicalURL? = nil) {
        self.head = head
        self.parts = parts
        self.outcome = outcome
        self.url = url
    }

    /// The length of the sent content, in bytes; 0 for HEAD, independent of `Content-Length`.
    public var contentLength: UInt64 { parts.reduce(0) { $0 + $1.length } }

    /// The digest of the stored body of which this is all or a part; nil for other content, for HEAD, and without content.
    package var bodyDigest: ContentDigest? {
        for case .body(let body, _) in parts { return body.digest }
        return nil
    }

    /// The length of the content that only this response has in memory, in bytes: that of stored responses is shared, or read as it is sent.
    ///
    /// It is 0 for a response of an archive that is not coded. Coded content counts, although the cache may share it.
    package var ownLength: Int {
        if case .responded = outcome, head.headerFields[.contentEncoding] == nil { return 0 }
        return parts.reduce(0) { length, part in
            if case .bytes(let bytes) = part { length + bytes.readableBytes } else { length }
        }
    }

    /// Returns all content at once; for tests and for short content.
    ///
    /// It decodes each block of the content, and holds all of it in memory.
    ///
    /// - Returns: the bytes of ``parts``, in their order.
    /// - Throws: as ``ArchiveBody/bytes(in:)``; nothing if all parts are in memory.
    public func content() throws(ArchiveError) -> [UInt8] {
        var content: [UInt8] = []
        for part in parts {
            switch part {
            case .bytes(let bytes): content += bytes.readableBytesView
            case .body(let body, let range):
                if let bytes = bodyInMemory?.getBytes(at: Int(range.lowerBound), length: range.count) {
                    content += bytes
                } else {
                    content += try body.bytes(in: range)
                }
            }
        }
        return content
    }
}
