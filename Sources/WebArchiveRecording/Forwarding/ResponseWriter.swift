// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WebArchive

/// A writer of one response of HTTP/1 to a client, with framing of its own (RFC 9112 section 6).
struct ResponseWriter {
    private enum Framing {
        case none
        case length
        case chunked
        /// The end of the connection ends the content.
        case connection
    }

    private let isHEAD: Bool
    private let isHTTP10: Bool
    private var framing = Framing.none
    /// Whether the head of the final response was written.
    private(set) var hasHead = false

    init(isHEAD: Bool, isHTTP10: Bool) { (self.isHEAD, self.isHTTP10) = (isHEAD, isHTTP10) }

    /// Returns the bytes of a head; nil for an informational one that the client does not know.
    ///
    /// - Parameter isLast: whether the connection ends after the response.
    mutating func head(_ head: ReceivedHead, isLast: inout Bool, _ allocator: ByteBufferAllocator) -> ByteBuffer? {
        var bytes = allocator.buffer(capacity: 512)
        bytes.writeString("HTTP/1.1 \(head.status) ")
        bytes.writeBytes(head.reason.lazy.map { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F ? 0x20 : $0 })
        bytes.writeStaticString("\r\n")
        var fields = ForwardedFields.ofResponse(head.fields)
        if head.isInformational {
            guard !isHTTP10 else { return nil }
            bytes.write(fields)
            bytes.writeStaticString("\r\n")
            return bytes
        }
        hasHead = true
        guard head.status != 101 else {
            bytes.write(fields)
            bytes.write(HeaderFields(ForwardedFields.webSocket))
            bytes.writeStaticString("\r\n")
            return bytes
        }
        let length = Self.length(head.fields)
        if length == nil {
            fields.removeAll(named: "Content-Length")
        } else if fields.only(named: "Content-Length") == nil, let length {
            fields.set(name: "Content-Length", value: String(length))
        }
        bytes.write(fields)
        let hasContent = !isHEAD && head.status != 204 && head.status != 304
        if !hasContent {
            framing = .none
        } else if length != nil {
            framing = .length
        } else if isHTTP10 {
            (framing, isLast) = (.connection, true)
        } else {
            framing = .chunked
            bytes.writeStaticString("Transfer-Encoding: ")
            let codings = head.fields["Transfer-Encoding"] ?? ""
            bytes.writeString(codings.asciiLowercased.hasSuffix("chunked") ? codings : "chunked")
            bytes.writeStaticString("\r\n")
        }
        if isLast {
            bytes.writeStaticString("Connection: close\r\n")
        } else if isHTTP10 {
            bytes.writeStaticString("Connection: keep-alive\r\n")
        }
        bytes.writeStaticString("\r\n")
        return bytes
    }

    /// Returns the length that a message has, by the same rules as ``ResponseParser``; nil for an invalid or a doubtful one.
    private static func length(_ fields: HeaderFields) -> UInt64? {
        let values = Set(fields.values(named: "Content-Length"))
        guard values.count == 1, let text = values.first, fields["Transfer-Encoding"] == nil,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return UInt64(text)
    }

    /// Returns whether a response has a length that is forwarded.
    static func hasLength(_ head: ReceivedHead) -> Bool { length(head.fields) != nil }

    /// Returns the bytes for some content.
    func content(_ content: ByteBuffer, _ allocator: ByteBufferAllocator) -> [ByteBuffer] {
        switch framing {
        case .none: []
        case .length, .connection: [content]
        case .chunked:
            [.chunkStart(content.readableBytes, allocator), content, ByteBuffer(staticString: "\r\n")]
        }
    }

    /// Returns the bytes for the end of the content; nil for none.
    func end(_ trailers: HeaderFields, _ allocator: ByteBufferAllocator) -> ByteBuffer? {
        guard case .chunked = framing else { return nil }
        var fields = ForwardedFields.ofResponse(trailers)
        fields.removeAll(named: "Content-Length")
        var bytes = allocator.buffer(capacity: 64)
        bytes.writeStaticString("0\r\n")
        bytes.write(fields)
        bytes.writeStaticString("\r\n")
        return bytes
    }

    /// Returns a response of the proxy itself.
    func ownResponse(_ status: Int, _ text: String, isLast: Bool) -> ByteBuffer {
        let content = "webarc record: \(text)\n"
        return ByteBuffer(
            string: "HTTP/1.1 \(status) \(Self.reason(status))\r\nContent-Type: text/plain; charset=utf-8\r\n"
                + "Content-Length: \(content.utf8.count)\r\nCache-Control: no-store\r\n"
                + (isLast ? "Connection: close\r\n" : isHTTP10 ? "Connection: keep-alive\r\n" : "") + "\r\n"
                + (isHEAD ? "" : content))
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 501: "Not Implemented"
        case 504: "Gateway Timeout"
        case 508: "Loop Detected"
        default: "Bad Gateway"
        }
    }
}
