// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The signers of a commit, from its statement and the statements that lead to it. Specification section 13.3.
struct SignerCount {
    private let trust: ArchiveTrust
    /// The signing keys that speak for trusted keys, each with the trusted key that is shown for it.
    private var signers: [ArchivePublicKey: ArchivePublicKey] = [:]
    /// The valid endorsements of the statements, the old key and the new one.
    private var endorsements: [(old: ArchivePublicKey, new: ArchivePublicKey)] = []
    /// The number of signatures that may still be checked: a stranger can append any number of wrong ones.
    private var checksLeft = 1024

    init(_ trust: ArchiveTrust) { self.trust = trust }

    /// The trusted keys that signed, themselves or through keys that they endorsed.
    var shown: Set<ArchivePublicKey> { Set(signers.values) }

    var isEmpty: Bool { signers.isEmpty }

    /// Removes the signers, but not the count of checks.
    mutating func removeAll() {
        signers = [:]
        endorsements = []
    }

    /// Adds the signers of a statement.
    ///
    /// - Throws: `limitExceeded` for too many signatures.
    mutating func add(_ statement: SignedStatement) throws(ArchiveError) {
        try add(statement.message, statement.signatures, statement.endorsements)
    }

    /// Adds the signers of a message.
    ///
    /// - Throws: `limitExceeded` for too many signatures.
    mutating func add(
        _ message: [UInt8], _ signatures: [SignedStatement.Signature], _ endorsements: [SignedStatement.Endorsement]
    ) throws(ArchiveError) {
        let speaking = try effectiveKeys(by: endorsements)
        var seen: Set<[UInt8]> = []
        for signature in signatures where seen.insert(signature.key + signature.signature).inserted {
            guard let key = ArchivePublicKey(bytes: signature.key), let owners = speaking[key], signers[key] == nil
            else { continue }
            try takeCheck()
            guard key.isSignature(signature.signature, of: message) else { continue }
            signers[key] =
                trust.keys.contains(key) ? key : owners.min { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        }
    }

    /// Returns the trusted keys, and those that they endorse.
    mutating func effectiveKeys(
        by stored: [SignedStatement.Endorsement]
    ) throws(ArchiveError) -> [ArchivePublicKey: Set<ArchivePublicKey>] {
        var speaking: [ArchivePublicKey: Set<ArchivePublicKey>] = [:]
        for key in trust.keys.subtracting(trust.revokedKeys) { speaking[key] = [key] }
        var waiting = stored.filter { stored in
            // An endorsement of a revoked key is of no use, and one by a revoked key is never reached.
            ArchivePublicKey(bytes: stored.newKey).map(trust.revokedKeys.contains) == false
        }
        var right: [(old: ArchivePublicKey, new: ArchivePublicKey)] = []
        var isChanged = true
        while isChanged {
            isChanged = false
            // Only signatures of trusted keys are worth a check.
            for (place, stored) in waiting.enumerated().reversed() {
                guard let old = ArchivePublicKey(bytes: stored.oldKey), speaking[old] != nil else { continue }
                waiting.remove(at: place)
                try takeCheck()
                guard let endorsement = ArchiveEndorsement(checking: stored) else { continue }
                right.append((old, endorsement.newKey))
                isChanged = true
                if speaking[endorsement.newKey] == nil { speaking[endorsement.newKey] = [] }
            }
            for _ in right {
                for (old, new) in right {
                    let owners = speaking[old] ?? []
                    speaking[new]?.formUnion(owners)
                }
            }
        }
        endorsements += right
        return speaking
    }

    private mutating func takeCheck() throws(ArchiveError) {
        guard checksLeft > 0 else {
            throw ArchiveError(.limitExceeded, "more than 1,024 signatures")
        }
        checksLeft -= 1
    }

    /// Whether there are enough signers; keys that an endorsement joins count once.
    var isEnough: Bool {
        var groups: [Set<ArchivePublicKey>] = signers.keys.map { [$0] }
        for (old, new) in endorsements {
            let joined = groups.filter { $0.contains(old) || $0.contains(new) }
            groups.removeAll { $0.contains(old) || $0.contains(new) }
            groups.append(joined.reduce(into: [old, new]) { $0.formUnion($1) })
        }
        return groups.count { group in signers.keys.contains { group.contains($0) } } >= trust.threshold
    }
}
