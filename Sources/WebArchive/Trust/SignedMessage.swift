// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

extension ArchiveSigningKey {
    /// Signs a message other than the statement of an archive. Its first bytes must differ from those of a statement.
    package func signature(of message: [UInt8]) throws(ArchiveError) -> [UInt8] { try sign(message) }
}

extension ArchiveTrust {
    /// Returns whether enough of the trusted keys signed a message, or keys that they endorse, counted as in the statement of an archive.
    /// Specification section 13.3.
    ///
    /// - Throws: `limitExceeded` for more than 1,024 signatures and endorsements.
    package func isSigned(
        _ message: [UInt8], _ signatures: [(key: ArchivePublicKey, signature: [UInt8])],
        endorsements: [ArchiveEndorsement]
    ) throws(ArchiveError) -> Bool {
        var signers = SignerCount(self)
        try signers.add(
            message, signatures.map { SignedStatement.Signature(key: $0.key.bytes, signature: $0.signature) },
            endorsements.map(\.stored))
        return signers.isEnough
    }

    /// Selects the keys whose revocations concern this trust: its own, and those that they endorse.
    ///
    /// - Throws: as ``isSigned(_:_:endorsements:)``.
    package func revokedKeys(
        _ revocations: [ArchiveRevocation], endorsements: [ArchiveEndorsement]
    ) throws(ArchiveError) -> Set<ArchivePublicKey> {
        var signers = SignerCount(self)
        let speaking = try signers.effectiveKeys(by: endorsements.map(\.stored))
        return Set(revocations.map(\.key)).intersection(speaking.keys)
    }
}
