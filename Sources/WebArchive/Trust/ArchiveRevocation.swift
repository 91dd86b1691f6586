// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import WebArchiveFormat

/// A key's signed declaration that its signatures no longer count, because its secret half was lost or stolen. `Spec/updates-1.md` section 4.
///
/// It travels in the lists of release folders. It can be made with the key, kept in a safe place, and used when the key is gone.
public struct ArchiveRevocation: Hashable, Sendable {
    /// The revoked key.
    public let key: ArchivePublicKey
    private let signature: [UInt8]

    /// Creates a revocation from a new signature.
    init(key: ArchivePublicKey, signature: [UInt8]) {
        (self.key, self.signature) = (key, signature)
    }

    private static let type = "WEBARC REVOCATION"

    /// Reads a revocation from its PEM document.
    ///
    /// - Throws: `invalidArgument` for anything else, and if its signature is wrong.
    public init(pem: String) throws(ArchiveError) {
        guard let bytes = PEMDocument.bytes(pem, type: Self.type, length: 96),
            let key = ArchivePublicKey(bytes: bytes[..<32])
        else { throw ArchiveError(.invalidArgument, "not a revocation") }
        let signature = Array(bytes[32...])
        guard key.isSignature(signature, of: Self.message(for: key)) else {
            throw ArchiveError(.invalidArgument, "the signature of the revocation is invalid")
        }
        self.init(key: key, signature: signature)
    }

    /// The PEM document of the revocation: the key and its signature, 96 bytes.
    public var pem: String { PEMDocument.text(type: Self.type, key.bytes + signature) }

    /// Returns the bytes that a key signs to revoke itself.
    static func message(for key: ArchivePublicKey) -> [UInt8] { Array("webarc revocation".utf8) + key.bytes }
}

extension ArchiveSigningKey {
    /// Revokes the key: readers that accept the revocation permanently ignore its signatures.
    ///
    /// - Throws: `io` if the system refuses random numbers.
    public func revoke() throws(ArchiveError) -> ArchiveRevocation {
        ArchiveRevocation(key: publicKey, signature: try sign(ArchiveRevocation.message(for: publicKey)))
    }
}
