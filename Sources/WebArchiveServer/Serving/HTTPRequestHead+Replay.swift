// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOHTTP1
import WebArchive

extension HTTPRequestHead {
    /// Whether another request can follow. Bytes after a request for a different protocol are not read as HTTP any more, even if
    /// the response ignores it (RFC 9110 section 7.8).
    ///
    /// It decides on the `Connection` field of the response; see `ResponseHead`.
    var keepsConnection: Bool { isKeepAlive && method != .CONNECT && !headers.contains(name: "Upgrade") }
}

extension HTTPRequestHead {
    /// Returns the status and the text of the refusal of a request by its head alone; nil for a valid one.
    ///
    /// - Parameter limit: the maximum length of the content, in bytes.
    /// - Returns: 400 for content whose end is unknown, 501 for a transfer coding besides `chunked`, or 413 for a
    ///   `Content-Length` beyond the limit.
    func refusal(atMost limit: Int) -> (HTTPResponse.Status, String)? {
        // RFC 9112 section 6.1: where the next request starts cannot be known.
        if version.isBeforeHTTP11, headers.contains(name: "Transfer-Encoding") {
            return (.badRequest, "HTTP/1.0 does not allow Transfer-Encoding.")
        }
        // RFC 9112 section 6.3: without "chunked" at the end, where the content ends cannot be known either.
        let codings = headers[canonicalForm: "Transfer-Encoding"].map { $0.asciiLowercased }
        if let last = codings.last, codings != ["chunked"] {
            let isChunked = last == "chunked" && !codings.dropLast().contains("chunked")
            return (isChunked ? .notImplemented : .badRequest, "Only chunked transfer coding is supported.")
        }
        // A number that does not fit is too long as well; the decoder has seen that it is one.
        if let length = headers.first(name: "Content-Length"), Int(length) ?? .max > limit {
            return (.contentTooLarge, "The content exceeds \(limit) bytes.")
        }
        return nil
    }

    /// The approximate memory of the request, in bytes: a field has two strings with their slots.
    ///
    /// Each field costs 64 bytes more than its text, and the method is left out.
    var length: Int {
        headers.reduce(uri.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 }
    }

    /// Whether it takes more memory than those of browsers do.
    ///
    /// It is then counted as memory of the client; the limit is 8 KiB of ``length``.
    var isLong: Bool { length > 8192 }

    /// The head with the parts that are still needed with the response: a client may take long to receive that, and have many of them.
    ///
    /// Values are cut to 1,024 characters. A short head stays as it is.
    var forLog: HTTPRequestHead {
        guard isLong else { return self }
        var head = self
        head.headers = HTTPHeaders()
        for name in ["Host", "Referer", "User-Agent"] {
            if let value = headers.first(name: name) { head.headers.add(name: name, value: String(value.prefix(1024))) }
        }
        if !keepsConnection { head.headers.add(name: "Connection", value: "close") }
        return head
    }
}

extension HTTPHeaders {
    /// Shortens long runs of marks in values, before any comparison.
    ///
    /// It costs one pass over the bytes of values; fields are copied only if one of them is not ASCII.
    mutating func makeStreamSafe() {
        guard contains(where: { $0.value.utf8.contains { $0 >= 0x80 } }) else { return }
        self = HTTPHeaders(map { ($0.name, $0.value.streamSafe) })
    }
}
