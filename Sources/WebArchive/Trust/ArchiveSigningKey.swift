// SPDX-License-Identifier: Apache-2.0

import Crypto
import SwiftASN1
import WebArchiveFormat

/// A secret key of Ed25519 (RFC 8032), with which a publisher signs archives.
///
/// Its text is a PEM document of type `PRIVATE KEY` (PKCS #8, RFC 8410), which `openssl genpkey -algorithm ed25519` makes as well.
public struct ArchiveSigningKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    /// Creates a new key from the system's random numbers.
    public init() { key = Curve25519.Signing.PrivateKey() }

    /// Reads a key from its PEM document.
    ///
    /// - Throws: `invalidArgument` for any other text: a key of a different algorithm, a public key, an encrypted key.
    public init(pem: String) throws(ArchiveError) {
        let document: PEMDocument
        do {
            document = try PEMDocument(pemString: pem)
        } catch {
            throw ArchiveError(.invalidArgument, "not a secret key in PEM form")
        }
        switch document.discriminator {
        case Self.type: break
        case "ENCRYPTED PRIVATE KEY":
            throw ArchiveError(
                .invalidArgument, "the secret key is encrypted", recovery: .decryptKey)
        default:
            throw ArchiveError(
                .invalidArgument,
                "the PEM document has type \(document.discriminator.prefix(40)), expected \(Self.type)")
        }
        guard let bytes = KeyEncoding.secretKey(document.derBytes),
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
        else {
            throw ArchiveError(.invalidArgument, "not an Ed25519 key", recovery: .makeKey)
        }
        self.key = key
    }

    private static let type = "PRIVATE KEY"

    /// The PEM document of the key, which ends with a line feed. Its holder can sign.
    public var pem: String {
        PEMDocument.text(type: Self.type, KeyEncoding.encode(secretKey: Array(key.rawRepresentation)))
    }

    /// The public half of the key.
    public var publicKey: ArchivePublicKey { ArchivePublicKey(key.publicKey) }

    /// Endorses a different key: readers that trust this one then trust archives that the other one signed.
    ///
    /// - Throws: `io` if the system refuses random numbers.
    public func endorse(_ other: ArchivePublicKey) throws(ArchiveError) -> ArchiveEndorsement {
        ArchiveEndorsement(
            newKey: other, oldKey: publicKey,
            signature: try sign(SignedStatement.Endorsement.message(for: other.bytes)))
    }

    /// Signs a message.
    func sign(_ message: [UInt8]) throws(ArchiveError) -> [UInt8] {
        do {
            return Array(try key.signature(for: message))
        } catch {
            throw ArchiveError(.io, "cannot sign", cause: error)
        }
    }
}
