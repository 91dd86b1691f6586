// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1
import WebArchive

/// The head of a request as it is sent to an origin server.
struct OutgoingRequest: Sendable {
    /// The framing of the content.
    enum Framing: Equatable, Sendable {
        case none
        case length
        case chunked
    }

    var method: String
    var target: ProxyTarget
    /// The fields to send, without those of the connection.
    var fields: HeaderFields
    var framing: Framing
    /// The version in which the client sent the request.
    var version: String
    /// Whether the request opens a WebSocket.
    var isWebSocket = false

    /// Whether repeating the request has the effect of sending it once (RFC 9110 section 9.2.2).
    var isIdempotent: Bool { ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method) }
    var isHEAD: Bool { method == "HEAD" }

    /// The same request for the whole of a response.
    var withoutRange: OutgoingRequest {
        var request = self
        request.fields.removeAll(named: "Range")
        request.fields.removeAll(named: "If-Range")
        request.framing = .none
        return request
    }

    /// The request as an archive stores it.
    var stored: ArchiveRequest {
        // http becomes ws, and https wss.
        let url = isWebSocket ? "ws" + target.url.dropFirst(4) : target.url
        var request = ArchiveRequest(method: method, url: url, headers: fields)
        request.version = version
        return request
    }
}

extension OutgoingRequest {
    /// Takes the head of a client's request, with the fields that are forwarded.
    ///
    /// - Parameter isHeld: a function that returns whether the archive holds the response that the conditions of a request name.
    init(
        _ head: HTTPRequestHead, _ target: ProxyTarget, version: String,
        isHeld: (_ url: String, _ fields: HeaderFields) -> Bool
    ) {
        let fields = HeaderFields(head.headers)
        let isWebSocket = head.version == .http1_1 && ForwardedFields.openWebSocket(head.method.rawValue, fields)
        self.init(
            method: head.method.rawValue, target: target,
            fields: ForwardedFields.ofRequest(
                fields, authority: target.authority, keepsConditions: isHeld(target.url, fields),
                isWebSocket: isWebSocket),
            framing: head.headers.contains(name: "Transfer-Encoding")
                ? .chunked : head.headers.contains(name: "Content-Length") ? .length : .none,
            version: version, isWebSocket: isWebSocket)
    }
}

extension OutgoingRequest {
    /// Returns whether a request has no transfer coding but `chunked`, which alone is framed again (RFC 9112 section 6.1).
    static func hasKnownCoding(_ head: HTTPRequestHead) -> Bool {
        let codings = head.headers["Transfer-Encoding"]
        return codings.isEmpty || codings.count == 1 && codings[0].asciiLowercased == "chunked"
    }
}

extension HeaderFields {
    /// Takes the fields of SwiftNIO.
    init(_ headers: HTTPHeaders) { self.init(headers.map { HeaderField(name: $0.name, value: $0.value) }) }
}
