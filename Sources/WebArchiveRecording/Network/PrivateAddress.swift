// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WebArchiveServer

/// The addresses that are not on the public network, which pages of it must not reach through a proxy.
enum PrivateAddress {
    /// The special-purpose ranges of IPv4 (RFC 6890, and the IANA registry): base, length of the prefix.
    private static let ranges4: [(UInt32, UInt32)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
        (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16), (0xC612_0000, 15),
        (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 4), (0xF000_0000, 4),
    ]

    /// Returns whether an address is private, loopback, link-local, multicast or of another special purpose.
    ///
    /// An IPv6 address counts as special unless it is global unicast (2000::/3), and then as the IPv4 address that it embeds, if it does: 6to4, NAT64,
    /// mapped and compatible ones lead to that.
    static func contains(_ address: SocketAddress) -> Bool {
        guard let text = address.ipAddress, let bytes = IPAddressBytes(text.contains(":") ? "[\(text)]" : text)?.bytes
        else { return true }
        return bytes.count == 4 ? contains(bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) : contains(bytes)
    }

    static func contains(_ address: UInt32) -> Bool {
        ranges4.contains { base, length in (address ^ base) >> (32 - length) == 0 }
    }

    static func contains(_ bytes: [UInt8]) -> Bool {
        let last = bytes.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        // ::ffff:0:0/96 and 64:ff9b::/96.
        if bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) { return contains(last) }
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)) { return contains(last) }
        guard bytes[0] & 0xE0 == 0x20 else { return true }
        // 2002::/16, 2001:db8::/32, 2001::/23 (Teredo and other protocol assignments).
        if bytes.starts(with: [0x20, 0x02]) {
            return contains(bytes[2..<6].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        }
        if bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8]) { return true }
        return bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] & 0xFE == 0
    }
}
