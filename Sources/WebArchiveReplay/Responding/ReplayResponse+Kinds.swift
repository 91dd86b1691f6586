// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import WebArchive

extension ReplayResponse {
    /// The response 412 (RFC 9110 section 15.5.13).
    ///
    /// It has no content, and no entity tag.
    static var preconditionFailed: ReplayResponse {
        ReplayResponse(
            HTTPResponse(status: .preconditionFailed, headerFields: [.contentLength: "0"]), outcome: .responded)
    }

    /// Returns the response 304 (RFC 9110 section 15.4.5).
    ///
    /// Fields other than those of section 15.4.5 are left out, since the client has them.
    ///
    /// - Parameter fields: the fields of the response that the client has.
    static func notModified(_ fields: HTTPFields) -> ReplayResponse {
        let kept = RepresentationSelection.notModifiedFields
        let fields = HTTPFields(fields.filter { kept.contains($0.name.canonicalName) })
        return ReplayResponse(HTTPResponse(status: .notModified, headerFields: fields), outcome: .responded)
    }

    /// Adds the query of a URL to the `Location`, unless it has one.
    ///
    /// A fragment stays at the end. An empty query is not added.
    mutating func addQuery(of url: CanonicalURL) {
        guard let query = url.query, !query.isEmpty, let location = head.headerFields[.location] else { return }
        let target = location.prefix { $0 != "#" }
        guard !target.contains("?") else { return }
        head.headerFields[.location] =
            "\(target)?\(String(decoding: query, as: UTF8.self))\(location[target.endIndex...])"
    }

    /// Returns a miss for a part of a page: a page in its place is useless, and `nosniff` makes browsers complain about its type.
    ///
    /// It is 404, or 504 by ``ReplayRequest/Addressing/ownOrigins``: a proxy has no response from the origin (RFC 9110
    /// section 15.6.5).
    static func plainNotFound(to request: ReplayRequest) -> ReplayResponse {
        let content = ByteBuffer(string: "Nothing is stored for this URL.\n")
        let fields: HTTPFields = [
            .contentType: "text/plain; charset=utf-8", .contentLength: String(content.readableBytes),
            .cacheControl: "no-store",
        ]
        let status: HTTPResponse.Status = request.addressing == .mainPageOrigin ? .notFound : .gatewayTimeout
        return ReplayResponse(
            HTTPResponse(status: status, headerFields: fields), request.head.method == .head ? [] : [.bytes(content)],
            outcome: .missing)
    }
}
