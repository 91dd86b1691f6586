// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// A response of a test server.
public struct HTTPTestResponse: Sendable {
    /// The way in which the client finds the end of the body (RFC 9112 section 6).
    public enum Framing: Sendable {
        case contentLength
        case chunked
        /// By the end of the connection.
        case untilClose
    }

    /// The position at which the connection ends early.
    public struct Cut: Sendable {
        /// After so many bytes of the body; nil for before the head.
        public var bodyBytes: Int?
        /// By RST instead of FIN.
        public var isReset: Bool

        public static func close(after bodyBytes: Int) -> Cut { Cut(bodyBytes: bodyBytes, isReset: false) }
        public static func reset(after bodyBytes: Int) -> Cut { Cut(bodyBytes: bodyBytes, isReset: true) }
        public static let closeBeforeHead = Cut(bodyBytes: nil, isReset: false)
        public static let resetBeforeHead = Cut(bodyBytes: nil, isReset: true)
    }

    public var status: Int
    /// The usual one for the status if it is nil.
    public var reason: String?
    /// Sent as they stand. `Content-Length` or `Transfer-Encoding` is added where it is needed and not among them.
    public var fields: HeaderFields
    public var body: HTTPTestBody
    public var framing = Framing.contentLength
    /// A false value of `Content-Length`; the connection ends after the body.
    public var declaredLength: Int?
    public var cut: Cut?
    /// Sent instead of all else, before the connection ends.
    public var rawBytes: [UInt8]?

    /// The gate at which the head waits.
    public var headGate: HTTPTestGate?
    /// The gate at which each piece of the body waits, and finally its end or the cut.
    public var gate: HTTPTestGate?
    /// In bytes.
    public var pieceLength = 256 << 10
    /// Bytes a second; nil for as fast as the client takes them.
    public var pace: Int?

    /// Whether `If-None-Match` and `If-Modified-Since` are answered with 304 where they meet `ETag` and `Last-Modified`.
    public var isConditional = true
    /// Whether a `Range` of bytes is answered with 206 or 416.
    public var hasRanges = false

    public init(_ status: Int = 200, _ fields: HeaderFields = [:], body: HTTPTestBody = .empty) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The same with a change.
    public func with(_ change: (inout Self) throws -> Void) rethrows -> Self {
        var copy = self
        try change(&copy)
        return copy
    }

    /// The same with one more header field.
    public func field(_ name: String, _ value: String) -> Self { with { $0.fields.append(name: name, value: value) } }
}

extension HTTPTestResponse {
    public static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> Self {
        HTTPTestResponse(200, ["Content-Type": type], body: HTTPTestBody(text))
    }

    public static func html(_ text: String) -> Self { .text(text, type: "text/html; charset=utf-8") }

    public static func bytes(_ bytes: some Sequence<UInt8>, type: String = "application/octet-stream") -> Self {
        HTTPTestResponse(200, ["Content-Type": type], body: HTTPTestBody(bytes))
    }

    /// A body of so many bytes, which is never held in memory.
    public static func generated(_ count: Int) -> Self {
        HTTPTestResponse(200, ["Content-Type": "application/octet-stream"], body: .generated(count))
    }

    /// The pieces of a body, each let go by the gate; one release more ends it.
    public static func pieces(_ pieces: [String], _ gate: HTTPTestGate, framing: Framing = .chunked) -> Self {
        HTTPTestResponse(
            200, ["Content-Type": "text/plain; charset=utf-8"],
            body: HTTPTestBody(pieces: pieces.map { Array($0.utf8) })
        ).with {
            $0.gate = gate
            $0.framing = framing
        }
    }

    /// A status with a line of text.
    public static func status(_ status: Int, _ text: String? = nil) -> Self {
        guard let text else { return HTTPTestResponse(status) }
        return HTTPTestResponse(status, ["Content-Type": "text/plain; charset=utf-8"], body: HTTPTestBody(text))
    }

    /// - Parameter location: nil for a redirect that leads nowhere.
    public static func redirect(_ status: Int = 302, to location: String?, body: String = "") -> Self {
        var response = HTTPTestResponse(status, body: HTTPTestBody(body))
        if let location { response.fields.append(name: "Location", value: location) }
        return response
    }

    /// Any bytes, before the connection ends.
    public static func raw(_ text: String) -> Self {
        HTTPTestResponse().with { $0.rawBytes = Array(text.utf8) }
    }
}
