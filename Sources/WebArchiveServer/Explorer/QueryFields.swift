// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The fields of a form in a query (URL standard, application/x-www-form-urlencoded).
struct QueryFields {
    /// The decoded values by decoded names.
    private var values: [String: String] = [:]

    /// Reads a query. Of several fields of one name the first counts. Bytes that are not UTF-8 are replaced.
    init(_ query: some StringProtocol) {
        for field in query.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decoded(parts[0])
            if values[name] == nil { values[name] = parts.count > 1 ? Self.decoded(parts[1]) : "" }
        }
    }

    /// Returns the value of a field; nil if the query has none of that name, and empty for one without a value.
    subscript(name: String) -> String? { values[name] }

    /// Decodes a part: `+` is a space, and a percent sign with two hexadecimal digits a byte.
    private static func decoded(_ part: some Sequence<UInt8>) -> String {
        var bytes: [UInt8] = []
        let spaced = part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        PercentEncoding.appendDecoded(spaced[...], to: &bytes)
        return String(untrusted: bytes)
    }

    /// Returns a path with fields, without those that have no value.
    ///
    /// Names are inserted as they are, and values are encoded except for the unreserved characters of RFC 3986 section
    /// 2.3.
    static func link(_ path: String, _ fields: KeyValuePairs<String, String>) -> String {
        var link = Array(path.utf8)
        var separator = UInt8(ascii: "?")
        for (name, value) in fields where !value.isEmpty {
            link.append(separator)
            link += Array(name.utf8) + [UInt8(ascii: "=")]
            PercentEncoding.appendEncoded(Array(value.utf8)[...], keeping: .unreserved, to: &link)
            separator = UInt8(ascii: "&")
        }
        return String(untrusted: link)
    }
}
