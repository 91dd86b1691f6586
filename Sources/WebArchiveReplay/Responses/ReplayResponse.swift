// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import NIOCore
public import WebArchive

/// A response: its head, and the parts of which its content is put together when it is sent.
public struct ReplayResponse: Sendable {
    /// A piece of content.
    public enum Part: Sendable {
        case bytes(ByteBuffer)
        /// Bytes of a body, read and checked block by block as they are sent.
        case body(ArchiveBody, Range<UInt64>)

        /// In bytes.
        public var length: UInt64 {
            switch self {
            case .bytes(let bytes): UInt64(bytes.readableBytes)
            case .body(_, let range): UInt64(range.count)
            }
        }
    }

    /// The outcome of a request, for logs and counters.
    public enum Outcome: Sendable {
        /// From an archive.
        case answered
        /// No archive has it.
        case missing
        /// An archive has it, and it cannot be read.
        case failed(ArchiveError)
        /// By the server itself: a page of its own, or a refusal.
        case own
    }

    /// The status and the header fields.
    public var head: HTTPResponse {
        didSet { prepared = nil }
    }
    /// The server's own form of the fields of ``head``, if they are those of a stored response; see ``FieldPreparation``.
    package var prepared: (any AnyObject & Sendable)?
    /// The pieces of the content, in their order.
    public var parts: [Part]
    /// The outcome, for logs and counters.
    public var outcome: Outcome
    /// The canonical URL that was looked for; nil where it came to none.
    public var url: CanonicalURL?
    /// For the blocks of the content.
    package var cache: ReplayCache?

    /// Whether the head lacks `Cache-Control: no-cache`, which the server adds: the fields of a stored response are shared.
    package private(set) var mustBeRevalidated = false

    /// Has clients ask again before they reuse the response, unless it says itself how long it is fresh: tomorrow, another archive may be
    /// at this address.
    mutating func requireRevalidation() {
        let fields = head.headerFields
        mustBeRevalidated = !fields.contains(.cacheControl) && !fields.contains(.expires)
    }

    package init(_ head: HTTPResponse, _ parts: [Part] = [], outcome: Outcome, url: CanonicalURL? = nil) {
        self.head = head
        self.parts = parts
        self.outcome = outcome
        self.url = url
    }

    /// Length of the content that is sent, in bytes.
    public var contentLength: UInt64 { parts.reduce(0) { $0 + $1.length } }

    /// Length of the content that this response alone has in memory, in bytes: that of stored responses is shared, or read as it is sent.
    package var ownLength: Int {
        if case .answered = outcome, head.headerFields[.contentEncoding] == nil { return 0 }
        return parts.reduce(0) { length, part in
            if case .bytes(let bytes) = part { length + bytes.readableBytes } else { length }
        }
    }

    /// All content; for tests and for what is short.
    ///
    /// - Throws: as ``ArchiveBody/bytes(in:)``.
    public func content() throws(ArchiveError) -> [UInt8] {
        var content: [UInt8] = []
        for part in parts {
            switch part {
            case .bytes(let bytes): content += bytes.readableBytesView
            case .body(let body, let range): content += try body.bytes(in: range)
            }
        }
        return content
    }
}
