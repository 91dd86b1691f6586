// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ArchiveResponse {
    /// Creates a response from Foundation's: without reason phrase and order of the fields, which are sorted by name, and with several fields
    /// of one name as one, joined by commas.
    ///
    /// - Parameter bodyLength: the length of the received bytes. Foundation decodes content and does not change the fields.
    init(_ response: HTTPURLResponse, bodyLength: UInt64) {
        var headers = HeaderFields(response.allHeaderFields)
        // `Transfer-Encoding` is remembered as a coding.
        for name in ConnectionFields.names(of: headers) where name != "transfer-encoding" {
            headers.removeAll(named: name)
        }
        var codings = Self.codings(headers["Content-Encoding"])
        // A decoded body rarely has the length of the coded one; this one is still coded, with a coding unknown to Foundation.
        if bodyLength > 0, headers["Content-Length"] == String(bodyLength) { codings = [] }
        codings += Self.codings(headers["Transfer-Encoding"])
        self.init(status: response.statusCode, headers: headers, codings: codings)
    }

    private static func codings(_ value: String?) -> [String] {
        (value ?? "").split(separator: ",").map { $0.trimmingOptionalWhitespace.asciiLowercased }
            .filter { !$0.isEmpty && $0 != "identity" }
    }
}

extension HeaderFields {
    /// Creates fields from Foundation's, sorted by name, since their original order is unknown.
    package init(_ fields: [AnyHashable: Any]) {
        let pairs = fields.compactMap { name, value in
            (name as? String).map { HeaderField(name: $0, value: "\(value)") }
        }
        self.init(pairs.sorted { $0.name.asciiLowercased < $1.name.asciiLowercased })
    }
}
