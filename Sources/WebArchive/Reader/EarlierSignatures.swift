// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The signatures of an archive, from the view of a signer who adds one. Specification section 13.
///
/// Anyone who can write the file can append a statement that names a signer's key. Only statements count whose signatures are
/// valid and whose trees cover the commits before them.
package struct EarlierSignatures: Sendable {
    /// The newest statement that one of the signer's keys signed; nil if there is none.
    package let own: ArchiveStatement?
    /// The series and the sequence of the newest statement, if only other keys signed it; nil otherwise.
    package let foreign: (series: String, sequence: UInt64)?
    /// The number of commits with rows after the newest statement of the signer, or after the newest one of other keys if the
    /// signer has none; those of the whole archive if no key signed it.
    package let laterCommitCount: Int

    /// Whether any key signed the archive.
    package var isSigned: Bool { own != nil || foreign != nil }

    /// Searches for the statements of a signer.
    ///
    /// - Parameters:
    ///   - archive: the archive, opened without keys.
    ///   - keys: the keys of the signer, and those that endorsed them.
    /// - Throws: `untrusted` if one of the trees does not cover all that it must cover; `limitExceeded` for too many signatures;
    ///   `io`.
    package init(of archive: ArchiveReader, by keys: Set<ArchivePublicKey>) throws(ArchiveError) {
        var commits = try SignedCommits(archive.chain, in: archive.index.source)
        _ = try commits.newestProved()
        let newest = commits.newestWithSignature()
        let found: (signed: SignedCommits.Signed, signers: Set<ArchivePublicKey>)?
        do throws(ArchiveError) {
            let own = try commits.newestTrusted(by: ArchiveTrust(keys))
            found = (own.signed, own.signers)
        } catch {
            guard error.code == .untrusted else { throw error }
            found = nil
        }
        own = found.map { ArchiveStatement($0.signed.statement, signers: $0.signers) }
        foreign = newest.flatMap {
            $0.number == found?.signed.number ? nil : ($0.statement.series, $0.statement.sequence)
        }
        let last = (found?.signed ?? newest)?.number ?? -1
        laterCommitCount = commits.rowCounts[(last + 1)...].count { $0 > 0 }
    }
}
