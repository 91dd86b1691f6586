// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOHTTP1
import WebArchiveReplay

extension HTTPResponseHead {
    /// Creates the head of a response for sending.
    ///
    /// Prepared fields are used where the response has them, so that they are not converted again.
    ///
    /// - Parameters:
    ///   - response: the response, whose fields are sent in their order, `Date` after them.
    ///   - request: the head of the request; nil for one that could not be parsed.
    ///   - date: the value of the `Date` field.
    ///   - keepsAlive: whether the connection stays open after it; nil for a stream, which does not state that.
    init(_ response: ReplayResponse, to request: HTTPRequestHead?, date: String, keepsAlive: Bool?) {
        var headers = (response.prepared as? PreparedHeaders)?.headers ?? HTTPHeaders(response.head.headerFields)
        headers.add(name: "Date", value: date)
        if response.mustBeRevalidated { headers.add(name: "Cache-Control", value: "no-cache") }
        if keepsAlive == false {
            headers.add(name: "Connection", value: "close")
        } else if keepsAlive == true, request?.version == .http1_0 {
            headers.add(name: "Connection", value: "keep-alive")
        }
        self.init(
            version: .http1_1,
            status: HTTPResponseStatus(
                statusCode: response.head.status.code, reasonPhrase: response.head.status.reasonPhrase),
            headers: headers)
    }
}

extension HTTPFields {
    /// The length of names and values, in bytes: stored ones may be as long as content.
    var textLength: Int { reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count } }
}
