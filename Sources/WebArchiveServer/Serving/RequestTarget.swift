// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOHTTP1
import WebArchive
import WebArchiveReplay

/// The target of a request on the wire. RFC 9112 section 3.
struct RequestTarget {
    /// The request in the form that a responder takes, without its `Host` field.
    let request: HTTPRequest
    /// The addressing: at the main page's origin for direct requests, and at the own origin of each URL for those
    /// through a proxy.
    let addressing: ReplayRequest.Addressing
    /// Whether the client addresses this server as the origin, and not through it another one.
    let isDirect: Bool

    /// Throws a message for people if the request is malformed.
    ///
    /// The target may be in origin form, in absolute form (section 3.2.2), or `*`. A text that is none of these is left
    /// to the responder, which refuses it.
    ///
    /// - Parameters:
    ///   - head: the head as SwiftNIO decoded it.
    ///   - connection: the connection, whose scheme and tunnel complete the target.
    init(_ head: HTTPRequestHead, on connection: ReplayConnection) throws(Malformed) {
        let hosts = head.headers["Host"]
        guard hosts.count <= 1, hosts.count == 1 || head.version.isBeforeHTTP11 else {
            throw Malformed(reason: "A request must have exactly one Host field.")
        }
        if let host = hosts.first, !Self.isHost(host) {
            throw Malformed(reason: "Invalid Host header or request target.")
        }
        guard let method = HTTPRequest.Method(head.method.rawValue) else {
            throw Malformed(reason: "The method is invalid.")
        }
        let fields = HTTPFields(head.headers)
        var (scheme, authority, path) = (connection.scheme, hosts.first, head.uri)
        var isAbsolute = false
        for known in ["http", "https"]
        where path.utf8.first != UInt8(ascii: "/") && path.prefix(known.count + 3).asciiLowercased == "\(known)://" {
            // RFC 9112 section 3.2.2: the target's authority counts, not that of the field.
            let rest = path.dropFirst(known.count + 3)
            let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
            guard Self.isHost(String(rest[..<end])), end > rest.startIndex else {
                throw Malformed(reason: "Invalid Host header or request target.")
            }
            (scheme, authority) = (known, String(rest[..<end]))
            path = rest[end...].first == "/" ? String(rest[end...]) : "/" + rest[end...]
            isAbsolute = true
        }
        isDirect = connection.tunnel == nil && !(isAbsolute && connection.isProxy)
        addressing = isDirect ? .mainPageOrigin : .ownOrigins
        request = HTTPRequest(
            method: method, scheme: scheme, authority: authority ?? connection.tunnel, path: path, headerFields: fields)
    }

    /// The response to a request about the server as a whole, `OPTIONS *` (RFC 9110 section 9.3.7); nil for all others.
    var responseOfServer: ReplayResponse? {
        guard request.method == .options, request.path == "*" else { return nil }
        var response = ReplayResponse(HTTPResponse(status: .noContent), outcome: .own)
        response.head.headerFields[.allow] = "GET, HEAD, OPTIONS"
        return response
    }

    /// An error of a request that is refused with 400.
    struct Malformed: Error {
        /// The reason in a sentence, which the page of the refusal shows.
        let reason: String
    }

    /// Returns whether the characters are those of a host and port (RFC 3986 section 3.2).
    ///
    /// It does not check their order, which the canonical URL does. The text has at most 300 bytes.
    static func isHost(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 300
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "-._~:[]%!$&'()*+,;=".utf8.contains(byte)
                }
            }
    }
}

extension HTTPFields {
    /// The fields of a request, without `Host`; names that are not tokens are left out.
    ///
    /// It costs a copy.
    init(_ headers: HTTPHeaders) {
        self.init()
        reserveCapacity(headers.count)
        for (name, value) in headers {
            guard let name = HTTPField.Name(name), name.canonicalName != "host" else { continue }
            append(HTTPField(name: name, value: value))
        }
    }
}

extension HTTPVersion {
    /// Whether the version is before HTTP/1.1, which introduced `Host`, `Expect` and persistent connections.
    ///
    /// A version of HTTP/0.9 counts as well.
    var isBeforeHTTP11: Bool { major < 1 || major == 1 && minor == 0 }
}
