// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOHTTP1
import WebArchiveReplay

/// The fields of a stored response in SwiftNIO's form for sending.
///
/// A responder makes them once for each cached response, so that a repeated response costs no conversion.
final class PreparedHeaders: Sendable {
    /// The fields in the order of the archive, and `Server: webarc` where the archive has no such field.
    let headers: HTTPHeaders

    /// Converts fields, at a cost that is proportional to their length.
    init(_ fields: HTTPFields) { headers = HTTPHeaders(fields) }
}

extension HTTPField {
    /// The value as text for sending, as UTF-8.
    ///
    /// In a value that is not UTF-8, each byte is the character of ISO 8859-1 (RFC 9110 section 5.5): `filename="café.txt"` stays
    /// readable, since browsers accept UTF-8 there as well.
    ///
    /// A value without the byte EF has no U+FFFD, the replacement of bytes that are not UTF-8, and is returned as it
    /// is.
    fileprivate var sendableValue: String {
        let value = value
        guard value.utf8.contains(0xEF) else { return value }
        return withUnsafeBytesOfValue { bytes in
            String(validating: bytes, as: UTF8.self)
                ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
    }
}

extension HTTPHeaders {
    /// Converts fields in their order, with the spelling of names that the archive has.
    ///
    /// Adds `Server: webarc` (RFC 9110 section 10.2.4) if there is no `Server` field, and reserves space for three more
    /// fields.
    init(_ fields: HTTPFields) {
        self.init()
        // And those that are added to every response.
        reserveCapacity(fields.count + 3)
        for field in fields { add(name: field.name.rawName, value: field.sendableValue) }
        if !fields.contains(.server) { add(name: "Server", value: "webarc") }
    }
}
