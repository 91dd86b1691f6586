// SPDX-License-Identifier: Apache-2.0

extension ArchiveSigningKey {
    /// Signs a message that is not the statement of an archive. Its first bytes must differ from those of a statement.
    package func signature(of message: [UInt8]) throws(ArchiveError) -> [UInt8] { try sign(message) }
}

extension ArchiveTrust {
    /// Tells whether enough of the trusted keys signed a message, or keys that they endorse; each owner counts once.
    ///
    /// - Parameters:
    ///   - signatures: at most 16 of them are looked at.
    ///   - endorsements: at most 16 of them are looked at.
    package func isSigned(
        _ message: [UInt8], _ signatures: [(key: ArchivePublicKey, signature: [UInt8])],
        endorsements: [ArchiveEndorsement]
    ) -> Bool {
        var owners: [ArchivePublicKey: ArchivePublicKey] = [:]
        for key in keys { owners[key] = key }
        for _ in 0..<16 {
            for endorsement in endorsements.prefix(16) where owners[endorsement.newKey] == nil {
                owners[endorsement.newKey] = owners[endorsement.oldKey]
            }
        }
        // A trusted key that another one endorses is that one's: the two have one owner.
        for endorsement in endorsements.prefix(16) {
            if keys.contains(endorsement.newKey), let owner = owners[endorsement.oldKey] {
                owners[endorsement.newKey] = owner
            }
        }
        var signers: Set<ArchivePublicKey> = []
        for (key, signature) in signatures.prefix(16) {
            guard let owner = owners[key], !signers.contains(owner), key.isSignature(signature, of: message) else {
                continue
            }
            signers.insert(owner)
        }
        return signers.count >= threshold
    }
}
