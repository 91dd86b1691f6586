// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

/// The DER of Ed25519 keys: `SubjectPublicKeyInfo` and `OneAsymmetricKey` (RFC 8410, sections 4 and 7).
enum KeyEncoding {
    private static let algorithm: ASN1ObjectIdentifier = [1, 3, 101, 112]

    /// Returns the 32 bytes of a public key; nil for DER of any other value.
    static func publicKey(_ der: [UInt8]) -> [UInt8]? {
        try? DER.sequence(DER.parse(der), identifier: .sequence) { nodes in
            try checkAlgorithm(nodes.next())
            return Array(try ASN1BitString(derEncoded: &nodes).bytes)
        }
    }

    /// Returns the 32 bytes of a secret key; nil for DER of any other value.
    static func secretKey(_ der: [UInt8]) -> [UInt8]? {
        try? DER.sequence(DER.parse(der), identifier: .sequence) { nodes in
            _ = try Int(derEncoded: &nodes)
            try checkAlgorithm(nodes.next())
            let inner = try ASN1OctetString(derEncoded: &nodes)
            // Attributes and the public key may follow; signing needs neither.
            while nodes.next() != nil {}
            return Array(try ASN1OctetString(derEncoded: Array(inner.bytes)).bytes)
        }
    }

    private static func checkAlgorithm(_ node: ASN1Node?) throws {
        guard let node else { throw UnexpectedAlgorithm() }
        let found = try DER.sequence(node, identifier: .sequence) { nodes in
            try ASN1ObjectIdentifier(derEncoded: &nodes)
        }
        guard found == algorithm else { throw UnexpectedAlgorithm() }
    }

    private struct UnexpectedAlgorithm: Error {}

    static func encode(publicKey: [UInt8]) -> [UInt8] {
        encode { coder in
            try appendAlgorithm(&coder)
            try coder.serialize(ASN1BitString(bytes: publicKey[...]))
        }
    }

    static func encode(secretKey: [UInt8]) -> [UInt8] {
        var inner = DER.Serializer()
        try? inner.serialize(ASN1OctetString(contentBytes: secretKey[...]))
        let wrapped = inner.serializedBytes
        return encode { coder in
            try coder.serialize(0)
            try appendAlgorithm(&coder)
            try coder.serialize(ASN1OctetString(contentBytes: wrapped[...]))
        }
    }

    private static func appendAlgorithm(_ coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { try $0.serialize(algorithm) }
    }

    /// Encodes a value; serialising these types cannot fail.
    private static func encode(_ content: (inout DER.Serializer) throws -> Void) -> [UInt8] {
        var coder = DER.Serializer()
        try? coder.appendConstructedNode(identifier: .sequence, content)
        return coder.serializedBytes
    }
}
