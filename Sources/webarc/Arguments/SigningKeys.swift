// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebarcCommandLine

/// The keys of a signer, and their findings in an archive before it is signed.
struct SigningKeys {
    /// The signing keys.
    let secret: [ArchiveSigningKey]
    /// The endorsements of these keys by older ones of the same owner.
    let endorsements: [ArchiveEndorsement]

    /// Searches for earlier signatures of these keys, or of those that endorsed them, in an archive.
    func earlierSignatures(of archive: ArchiveReader) throws(ArchiveError) -> EarlierSignatures {
        try EarlierSignatures(of: archive, by: Set(secret.map(\.publicKey) + endorsements.map(\.oldKey)))
    }

    /// Verifies all commits of an archive. A signature states that it is as its publisher made it, so damage is not signed.
    ///
    /// Parts that earlier signatures cover are proved as well, by any signer: a new signature would not make them right.
    ///
    /// - Throws: `damaged` for the first error that is found; `untrusted`.
    static func examine(
        _ archive: ArchiveReader, threads: ThreadsOption, progress: ProgressOptions
    ) throws {
        let reader = try ArchiveReader(examining: archive)
        let findings = progress.showing("Verifying") { line in
            Interruption.guarding {
                ArchiveVerifier(reader, threads: threads.count).run { line?.update($0) }
            }
        }
        guard let damage = findings.first(where: { $0.severity == .error }) else { return }
        throw ArchiveError(
            .damaged, "cannot sign: \(damage.message)", path: archive.name, offset: damage.offset)
    }
}

extension EarlierSignatures {
    /// The edition of an earlier signer, which a further signer of the same content joins; nil if there is none to join.
    ///
    /// The number of a later time is not joined: a stranger could use up the numbers of a signer who gives none.
    var joinedEdition: (series: String, sequence: UInt64)? {
        let now = UInt64(max(0, ArchiveTime.now().nanoseconds / 1_000_000_000))
        guard let foreign, own == nil, laterCommitCount == 0, foreign.sequence <= now else { return nil }
        return foreign
    }

    /// Refuses to sign commits that others appended without the signer's keys, for a signer who adds to the archive and may not know of them.
    ///
    /// - Parameter path: the path of the archive, for the error.
    /// - Throws: `untrusted`.
    func refuseStrangers(path: String) throws(ArchiveError) {
        guard own != nil, laterCommitCount > 0 else { return }
        let text = laterCommitCount == 1 ? "1 commit follows" : "\(SizeFormat.count(laterCommitCount)) commits follow"
        let them = laterCommitCount == 1 ? "it" : "them"
        throw ArchiveError(
            .untrusted,
            "\(text) the newest commit signed by this key; inspect \(them) with webarc info and webarc ls, then sign \(them) "
                + "with webarc sign, or restore a copy of the archive without \(them)",
            path: path)
    }

    /// Reports the previously unsigned commits that are now signed.
    ///
    /// - Parameter isWhole: whether to report an archive that was wholly unsigned as well.
    func warnAboutNewlySigned(evenWhole isWhole: Bool) {
        guard laterCommitCount > 0, isSigned || isWhole else { return }
        let verb = laterCommitCount == 1 ? "is" : "are"
        Diagnostics.warn("\(SizeFormat.count(laterCommitCount, "previously unsigned commit")) \(verb) now signed")
    }
}
