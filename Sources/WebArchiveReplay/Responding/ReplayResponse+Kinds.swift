// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import WebArchive

extension ReplayResponse {
    /// The response 412 (RFC 9110 section 15.5.13).
    static var preconditionFailed: ReplayResponse {
        ReplayResponse(
            HTTPResponse(status: .preconditionFailed, headerFields: [.contentLength: "0"]), outcome: .responded)
    }

    /// Returns the response 304 (RFC 9110 section 15.4.5).
    ///
    /// - Parameter fields: the fields of the response that the client has.
    static func notModified(_ fields: HTTPFields) -> ReplayResponse {
        let kept = RepresentationSelection.notModifiedFields
        let fields = HTTPFields(fields.filter { kept.contains($0.name.canonicalName) })
        return ReplayResponse(HTTPResponse(status: .notModified, headerFields: fields), outcome: .responded)
    }

    /// Adds the query of a URL to the `Location`, unless it has one.
    mutating func addQuery(of url: CanonicalURL) {
        guard let query = url.query, !query.isEmpty, let location = head.headerFields[.location] else { return }
        let target = location.prefix { $0 != "#" }
        guard !target.contains("?") else { return }
        head.headerFields[.location] =
            "\(target)?\(String(decoding: query, as: UTF8.self))\(location[target.endIndex...])"
    }

    /// Returns a miss for a part of a page: a page in its place is useless, and `nosniff` makes browsers complain about its type.
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
