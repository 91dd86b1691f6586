// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import WebArchiveFormat

/// An old key's signed confirmation that a new key belongs to the same owner. Specification section 13.3.
///
/// It travels in the statements that the new key signs, so that readers that know only the old key accept them.
public struct ArchiveEndorsement: Hashable, Sendable {
    /// The endorsed key.
    public let newKey: ArchivePublicKey
    /// The endorsing key.
    public let oldKey: ArchivePublicKey
    private let signature: [UInt8]

    /// Creates an endorsement from a new signature.
    init(newKey: ArchivePublicKey, oldKey: ArchivePublicKey, signature: [UInt8]) {
        (self.newKey, self.oldKey, self.signature) = (newKey, oldKey, signature)
    }

    /// Reads an endorsement from a statement; nil unless its signature is valid.
    init?(checking stored: SignedStatement.Endorsement) {
        guard let new = ArchivePublicKey(bytes: stored.newKey), let old = ArchivePublicKey(bytes: stored.oldKey),
            old.isSignature(stored.signature, of: SignedStatement.Endorsement.message(for: stored.newKey))
        else { return nil }
        self.init(newKey: new, oldKey: old, signature: stored.signature)
    }

    private static let type = "WEBARC ENDORSEMENT"

    /// Reads an endorsement from its PEM document.
    ///
    /// - Throws: `invalidArgument` for anything else, and if its signature is wrong.
    public init(pem: String) throws(ArchiveError) {
        guard let bytes = PEMDocument.bytes(pem, type: Self.type, length: SignedStatement.Endorsement.length) else {
            throw ArchiveError(.invalidArgument, "not an endorsement", recovery: .makeEndorsement)
        }
        let stored = SignedStatement.Endorsement(
            newKey: Array(bytes[..<32]), oldKey: Array(bytes[32..<64]), signature: Array(bytes[64...]))
        guard let endorsement = ArchiveEndorsement(checking: stored) else {
            throw ArchiveError(.invalidArgument, "the signature of the endorsement is invalid")
        }
        self = endorsement
    }

    /// The PEM document of the endorsement: both keys and the signature, 128 bytes, as in a statement.
    public var pem: String { PEMDocument.text(type: Self.type, stored.bytes) }

    /// The endorsement in the form of a statement.
    var stored: SignedStatement.Endorsement {
        SignedStatement.Endorsement(newKey: newKey.bytes, oldKey: oldKey.bytes, signature: signature)
    }
}

extension SignedStatement.Endorsement {
    fileprivate var bytes: [UInt8] { newKey + oldKey + signature }
}
