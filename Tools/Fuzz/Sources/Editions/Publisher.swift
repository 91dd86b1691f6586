// SPDX-License-Identifier: Apache-2.0

@testable package import WebArchive

/// The keys of publishers, of which no mutator may use the trusted ones. Those of RFC 8032, section 7.1.
package enum Publisher {
    /// A key that readers trust.
    package static let alice = key(
        0x9d61_b19d_effd_5a60, 0xba84_4af4_92ec_2cc4, 0x4449_c569_7b32_6919, 0x703b_ac03_1cae_7f60)
    /// Another key that readers trust.
    package static let bob = key(
        0x4ccd_089b_28ff_96da, 0x9db6_c346_ec11_4e0f, 0x5b8a_319f_35ab_a624, 0xda8c_f6ed_4fb8_a6fb)
    /// The key of a stranger, with which a mutator may sign.
    package static let stranger = key(
        0xc5aa_8df4_3f9f_837b, 0xedb7_442f_31dc_b7b1, 0x66d3_8535_076f_094b, 0x85ce_3a2e_0b44_58f7)

    private static func key(_ words: UInt64...) -> ArchiveSigningKey {
        let bytes = words.flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) }
        let wrapped = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20] + bytes
        let pem = "-----BEGIN PRIVATE KEY-----\n\(base64(wrapped))\n-----END PRIVATE KEY-----"
        guard let key = try? ArchiveSigningKey(pem: pem) else { fatalError("no key in \(pem)") }
        return key
    }

    /// Base64 (RFC 4648, section 4) of bytes that are a multiple of three.
    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let word = bytes[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
            for shift in [18, 12, 6, 0] { text.append(alphabet[word >> shift & 63]) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
