// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import NIOCore
import WebArchive
import WebArchiveReplay

/// A load of a URL of ``ArchiveScheme``: the head of its response, then its content in pieces.
///
/// A scheme handler cannot report a redirect to WebKit. A page is redirected by a page that leads to the target, so that its address is
/// right; for other content the load follows the redirects itself.
actor SchemeLoad {
    /// The head of a response, in the form for `HTTPURLResponse`.
    struct Head: Equatable {
        let status: Int
        /// The fields; several of one name are joined by commas (RFC 9110 section 5.3).
        let fields: [String: String]
    }

    private let responder: ReplayResponder
    private var request: ReplayRequest
    private var content: ContentReader?

    /// The maximum number of redirects of a load, as in browsers.
    private static let maximumRedirectCount = 20

    /// Creates a load; nil if the URL has a different scheme.
    init?(_ responder: ReplayResponder, method: String, url: URL, fields: [String: String], body: Data?) {
        guard let original = ArchiveScheme.originalURL(of: url), let method = HTTPRequest.Method(method) else {
            return nil
        }
        var heads = HTTPFields()
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { heads[name] = value }
        }
        // WebKit does not decode the content of a scheme handler.
        heads[.acceptEncoding] = nil
        request = ReplayRequest(method: method, original.absoluteString, headerFields: heads)
        request.bodyDigest = body.map { ContentDigest(hashing: Array($0)) }
        self.responder = responder
    }

    /// Returns the head of the response. Call it once, before ``next()``.
    func start() -> Head {
        var response = responder.respond(to: request)
        for _ in 0..<Self.maximumRedirectCount {
            guard let target = target(of: response) else { break }
            if request.head.headerFields[.accept]?.contains("text/html") == true {
                response = Self.page(leadingTo: target)
                break
            }
            follow(target, keepingMethod: [307, 308].contains(response.head.status.code))
            response = responder.respond(to: request)
        }
        content = ContentReader(response)
        var fields: [String: String] = [:]
        for field in response.head.headerFields {
            let name = field.name.rawName
            fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
        }
        return Head(status: response.head.status.code, fields: fields)
    }

    /// Returns the next bytes of the content; nil at the end. Throws `damaged`, `truncated`, `unsupportedFeature` or `io`.
    func next() throws(ArchiveError) -> Data? {
        try content?.next(ByteBufferAllocator()).map { Data($0.readableBytesView) }
    }

    /// Returns the absolute URL to which a response redirects, with its fragment.
    private func target(of response: ReplayResponse) -> String? {
        guard [301, 302, 303, 307, 308].contains(response.head.status.code),
            let location = response.head.headerFields[.location], let target = try? response.url?.resolving(location)
        else { return nil }
        let fragment = location.firstIndex(of: "#").map { location[$0...] } ?? ""
        return target.description + fragment
    }

    /// Continues with a different URL, by RFC 9110 section 15.4 and the Fetch standard.
    private func follow(_ target: String, keepingMethod: Bool) {
        let (method, fields, digest) = (request.head.method, request.head.headerFields, request.bodyDigest)
        let keepsMethod = keepingMethod || method == .get || method == .head
        request = ReplayRequest(method: keepsMethod ? method : .get, target, headerFields: fields)
        request.bodyDigest = keepsMethod ? digest : nil
    }

    private static func page(leadingTo target: String) -> ReplayResponse {
        let address = URL(string: target).flatMap(ArchiveScheme.viewURL(of:))?.absoluteString ?? target
        let link = HTMLText.escaped(address)
        let page = ByteBuffer(
            string: """
                <!doctype html><meta charset="utf-8"><title>\(link)</title>\
                <meta http-equiv="refresh" content="0;url=\(link)"><a href="\(link)">\(link)</a>

                """)
        let fields: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .contentLength: String(page.readableBytes),
            .cacheControl: "no-store",
        ]
        return ReplayResponse(HTTPResponse(status: .ok, headerFields: fields), [.bytes(page)], outcome: .responded)
    }
}
