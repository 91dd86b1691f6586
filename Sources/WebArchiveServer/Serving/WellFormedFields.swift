// SPDX-License-Identifier: Apache-2.0

import NIOHPACK
import WebArchive

/// The fields of an HTTP/2 request, if they are well formed. RFC 9113 sections 8.2 and 8.3.
///
/// Every comparison is of bytes: Unicode's takes quadratic time for long runs of marks, which a client with field compression sends in a few
/// bytes.
struct WellFormedFields {
    /// The length of the content that the fields announce, in bytes; nil if they do not.
    private(set) var contentLength: Int?

    /// Checks the fields of a request's head; nil if they are malformed.
    ///
    /// The four pseudo-fields must come first, each once, and no others are allowed. `CONNECT`, which lacks some of
    /// them, is refused, and so are schemes other than http and https, and a `host` other than the authority (section 8.3.1).
    init?(head: HPACKHeaders) {
        var hasRegularField = false
        var pseudoFields: Set<String> = []
        var (authority, hosts): ([UInt8], [[UInt8]]) = ([], [])
        for (name, value, _) in head {
            guard name.utf8.first == UInt8(ascii: ":") else {
                hasRegularField = true
                guard Self.isRegular(name, value), noteContentLength(name, value) else { return nil }
                if name == "host" { hosts.append(Self.host(value)) }
                continue
            }
            // All must be ASCII: the codec after this one compares the method with every known one.
            guard !hasRegularField, name.utf8.dropFirst().allSatisfy(FieldText.isTokenByte),
                !value.isEmpty, value.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), pseudoFields.insert(name).inserted,
                name != ":method" || FieldText.isToken(value.utf8),
                name != ":scheme" || ["http", "https"].contains(value.asciiLowercased)
            else { return nil }
            if name == ":authority" { authority = Self.host(value) }
        }
        // Tunnels are opened over HTTP/1.1 only, and the codec knows no request without an authority.
        guard pseudoFields == [":method", ":scheme", ":path", ":authority"] else { return nil }
        // The codec prefers the field.
        guard hosts.allSatisfy({ $0 == authority }) else { return nil }
    }

    /// Returns a host in lower case, without the port of `https` (RFC 9110 section 4.2.3).
    private static func host(_ authority: String) -> [UInt8] {
        let lowercased = authority.utf8.asciiLowercased
        return lowercased.suffix(4).elementsEqual(":443".utf8) ? lowercased.dropLast(4) : lowercased
    }

    /// Returns whether the fields after a request's content are well formed.
    ///
    /// Pseudo-fields are malformed there (section 8.1).
    static func isTrailer(_ fields: HPACKHeaders) -> Bool { fields.allSatisfy { isRegular($0.name, $0.value) } }

    /// Returns whether a field is regular and well formed: a name of lower-case token characters, a value
    /// without NUL and ends of lines, and no field of the connection (section 8.2.2).
    private static func isRegular(_ name: String, _ value: String) -> Bool {
        guard FieldText.isToken(name.utf8), !name.utf8.contains(where: { 0x41...0x5A ~= $0 }),
            !value.utf8.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D })
        else { return false }
        return switch name {
        case "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade": false
        case "te": value.hasSameBytes(as: "trailers")
        default: true
        }
    }

    /// Takes a length of content; returns false for a malformed one, or one that differs from the previous one.
    ///
    /// Several fields with the same number are accepted.
    private mutating func noteContentLength(_ name: String, _ value: String) -> Bool {
        guard name == "content-length" else { return true }
        guard !value.isEmpty, value.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let length = Int(value),
            contentLength == nil || contentLength == length
        else { return false }
        contentLength = length
        return true
    }
}
