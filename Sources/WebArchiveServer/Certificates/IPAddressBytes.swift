// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The four or sixteen bytes of an IP address.
package struct IPAddressBytes: Hashable, Sendable {
    /// The bytes in network order.
    package let bytes: [UInt8]

    /// Takes an address in the form of a URL, an IPv6 address in brackets; nil for a name.
    ///
    /// The system parses the text, and refuses IPv4 addresses of fewer than four parts.
    package init?(_ host: String) {
        if host.hasPrefix("["), host.hasSuffix("]") {
            var address = in6_addr()
            guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1 else { return nil }
            bytes = withUnsafeBytes(of: address) { Array($0) }
        } else {
            var address = in_addr()
            guard inet_pton(AF_INET, host, &address) == 1 else { return nil }
            bytes = withUnsafeBytes(of: address) { Array($0) }
        }
    }

    /// A text for the client of an IPv6 address: its network of 64 bits, or its IPv4 address if the server listens on both
    /// (RFC 4291 section 2.5.5.2).
    ///
    /// The bytes are decimal numbers, separated by dots, for both kinds: the text identifies a client, and is not an
    /// address. A network of 64 bits is what one client usually has.
    var clientText: String {
        let isMapped = bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
        return (isMapped ? bytes.suffix(4) : bytes.prefix(8)).map(String.init).joined(separator: ".")
    }

    /// The bytes as the content of an `iPAddress` name of a certificate (RFC 5280 section 4.2.1.6).
    var octets: ASN1OctetString { ASN1OctetString(contentBytes: bytes[...]) }

    /// The range of this one address: address and mask (RFC 5280 section 4.2.1.10).
    var exactRange: ASN1OctetString {
        ASN1OctetString(contentBytes: (bytes + Array(repeating: 0xFF, count: bytes.count))[...])
    }

    /// Returns the address of a range, for people.
    ///
    /// It is in the form of a URL. The mask is ignored.
    ///
    /// - Parameter range: the address and the mask, of 8 or 32 bytes; nil is returned for any other length.
    static func text(ofRange range: ASN1OctetString) -> String? {
        let bytes = Array(range.bytes)
        switch bytes.count {
        case 8: return bytes[..<4].map(String.init).joined(separator: ".")
        case 32:
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            guard inet_ntop(AF_INET6, Array(bytes[..<16]), &text, socklen_t(text.count)) != nil else { return nil }
            return "[" + String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) + "]"
        default: return nil
        }
    }
}
