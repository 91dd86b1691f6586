// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebarcCommandLine

/// The keys of somebody who signs an archive, and what they find in it before they do.
struct SigningKeys {
    /// The keys that sign.
    let secret: [ArchiveSigningKey]
    /// The endorsements of these keys by older ones of the same owner.
    let endorsements: [ArchiveEndorsement]

    /// Looks for what these keys, or those that endorsed them, signed in an archive before.
    func earlierSignatures(of archive: ArchiveReader) throws(ArchiveError) -> EarlierSignatures {
        try EarlierSignatures(of: archive, by: Set(secret.map(\.publicKey) + endorsements.map(\.oldKey)))
    }

    /// Verifies all commits of an archive. A signature says that it is as its publisher made it, so damage is not signed.
    ///
    /// Parts that earlier signatures cover are proved as well, whoever signed: a new signature would not make them right.
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
            .damaged, "\(damage.message), so that it is not signed", path: archive.name, offset: damage.offset)
    }
}

extension EarlierSignatures {
    /// Refuses to sign commits that somebody appended without the signer's keys, for one who adds to the archive and may not know of them.
    ///
    /// - Parameter path: the path of the archive, for the error.
    /// - Throws: `untrusted`.
    func refuseStrangers(path: String) throws(ArchiveError) {
        guard own != nil, laterCommitCount > 0 else { return }
        let text = laterCommitCount == 1 ? "1 commit was" : "\(SizeFormat.count(laterCommitCount)) commits were"
        let them = laterCommitCount == 1 ? "it" : "them"
        throw ArchiveError(
            .untrusted,
            "\(text) appended behind the newest one that your key signed, and would be signed now; look at \(them) with webarc info and webarc ls, "
                + "and then either sign \(them) with webarc sign, or go back to a copy of the archive without \(them)",
            path: path)
    }

    /// Tells of the commits that nobody had signed and that are signed now.
    ///
    /// - Parameter isWhole: whether to tell of a whole archive as well that nobody had signed.
    func tellOfNewlySigned(evenWhole isWhole: Bool) {
        guard laterCommitCount > 0, isSigned || isWhole else { return }
        let text = laterCommitCount == 1 ? "1 commit" : "\(SizeFormat.count(laterCommitCount)) commits"
        let place = isSigned ? " behind the newest signed one" : " that nobody had signed"
        Diagnostics.warn("\(text)\(place) \(laterCommitCount == 1 ? "is" : "are") signed now too")
    }
}
