// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ArchiveResponse {
    /// Makes a response of what Foundation tells: neither the reason phrase nor the order of the fields, which are sorted by name, and several fields of one name
    /// as one, joined by commas.
    ///
    /// - Parameter bodyLength: the body length of the bytes that came, in bytes. Foundation decodes content and leaves the fields as they were.
    init(_ response: HTTPURLResponse, bodyLength: UInt64) {
        var headers = HeaderFields(response.allHeaderFields)
        // `Transfer-Encoding` is remembered as a coding.
        for name in ConnectionFields.names(of: headers) where name != "transfer-encoding" {
            headers.removeAll(named: name)
        }
        var codings = Self.codings(headers["Content-Encoding"])
        // Decoded bytes are rarely as many as there were coded ones; these are still coded, in a way that Foundation does not know.
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
    /// Fields as Foundation has them, sorted by name, as it does not tell the order in which they came.
    package init(_ fields: [AnyHashable: Any]) {
        let pairs = fields.compactMap { name, value in
            (name as? String).map { HeaderField(name: $0, value: "\(value)") }
        }
        self.init(pairs.sorted { $0.name.asciiLowercased < $1.name.asciiLowercased })
    }
}
