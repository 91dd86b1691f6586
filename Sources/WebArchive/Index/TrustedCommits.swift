// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The commits of an archive that trusted keys signed, with their proofs. Specification section 13.4.
struct TrustedCommits: Sendable {
    /// The proofs of the commits up to the newest trusted one, the oldest first.
    let proofs: [CommitProof]
    /// The statement of the newest trusted commit.
    let statement: ArchiveStatement
    /// The number of later commits that have rows, which are not read.
    let ignoredCount: Int
    /// The trust that found them, without the revocations that do not hold for this archive.
    let trust: ArchiveTrust

    /// Finds the newest commit that enough trusted keys signed, and proves its end and those of all earlier ones.
    ///
    /// Costs the checking of the signatures, and three reads for each commit and each level of a tree.
    ///
    /// - Throws: `untrusted` if there is none; errors of the source.
    init(_ chain: CommitChain, in source: any ByteSource, trust: ArchiveTrust) throws(ArchiveError) {
        var commits = try SignedCommits(chain, in: source)
        var (trust, record) = (trust, try trust.sequences?.content())
        trust.revokedKeys.formUnion(record?.revokedKeys ?? [])
        let found: SignedCommits.Found
        do throws(ArchiveError) {
            found = try commits.newestTrusted(by: trust)
        } catch {
            // The edition from before the revocation of its key continues to be readable.
            guard error.code == .untrusted, !trust.revokedKeys.isEmpty else { throw error }
            trust = trust.withoutRevocations
            guard let earlier = try? commits.newestTrusted(by: trust), record?.holds(earlier.signed.statement) == true
            else {
                throw error
            }
            (found, record) = (earlier, nil)
        }
        let statement = ArchiveStatement(found.signed.statement, signers: found.signers)
        try record?.check(statement, of: source.name)
        (self.statement, self.trust) = (statement, trust)
        proofs = found.proofs
        ignoredCount = commits.rowCounts[found.proofs.count...].count { $0 > 0 }
    }
}
