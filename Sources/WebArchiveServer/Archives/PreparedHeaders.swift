// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOHTTP1
import WebArchiveReplay

/// The fields of a stored response as SwiftNIO sends them.
final class PreparedHeaders: Sendable {
    let headers: HTTPHeaders

    init(_ fields: HTTPFields) { headers = HTTPHeaders(fields) }
}

extension HTTPHeaders {
    init(_ fields: HTTPFields) {
        self.init()
        // And those that are added to every response.
        reserveCapacity(fields.count + 3)
        for field in fields { add(name: field.name.rawName, value: field.value) }
        if !fields.contains(.server) { add(name: "Server", value: "webarc") }
    }
}
