// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebarcCommandLine

/// The options for the signed statement.
struct StatementOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The series of the edition. (default: that of your last signature, else the host of the site)",
            valueName: "name"))
    var series: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The sequence number of the edition, higher than that of the previous one. (default: the time in seconds since 1970)",
            valueName: "number"))
    var sequence: UInt64?

    @Option(
        help: ArgumentHelp(
            "An endorsement of the new key by an older one, from webarc key endorse. May be given several times.",
            valueName: "file"),
        completion: .file())
    var endorsement: [String] = []

    var isEmpty: Bool { series == nil && sequence == nil && endorsement.isEmpty }

    func validate() throws {
        guard let series else { return }
        guard (1...64).contains(series.utf8.count), !series.utf8.contains(0) else {
            throw ValidationError("--series takes a name of 1 to 64 bytes, not '\(series)'")
        }
    }

    /// Describes the statement that the keys sign.
    ///
    /// - Parameters:
    ///   - keys: the secret keys.
    ///   - earlier: the signatures of the archive that is added to.
    ///   - addsRows: whether the signed commit has content of its own: then it is a new edition.
    ///   - host: the host of the site, where it is known.
    ///   - time: nil for the present.
    func signing(
        _ keys: SigningKeys, after earlier: EarlierSignatures?, addsRows: Bool, host: String?, time: ArchiveTime?
    ) throws -> ArchiveSigning {
        let joined = addsRows ? nil : earlier?.joinedEdition
        if let foreign = earlier?.foreign, joined == nil, series == nil || sequence == nil {
            // A signer should not put a name to the contents of a stranger's file.
            throw ValidationError(
                "another key signed the archive as edition \(foreign.sequence) of \(foreign.series); give --series and --sequence"
            )
        }
        guard let series = series ?? earlier?.own?.series ?? joined?.series ?? host else {
            throw ValidationError("the archive has no host; give the series with --series")
        }
        let time = time ?? ArchiveTime.now()
        return ArchiveSigning(
            keys.secret, series: series,
            sequence: try sequence ?? joined?.sequence
                ?? Self.sequence(after: earlier, addsRows: addsRows, at: time), time: time,
            endorsements: keys.endorsements)
    }

    /// Warns of a series that all sites without a base URL would share, so that an archive of one was an edition of another.
    func warn(of signing: ArchiveSigning, after earlier: EarlierSignatures?) {
        guard series == nil, earlier?.isSigned != true, signing.series == "localhost" else { return }
        Diagnostics.warn(
            "the series of the signature is localhost, as no base URL names the site; give --series, or pack with --base-url"
        )
    }

    /// Reads the files of keys and endorsements.
    ///
    /// - Parameter names: the names of the files of the secret keys.
    func keys(_ names: [String]) throws -> SigningKeys {
        SigningKeys(secret: try names.map(KeyFile.secretKey), endorsements: try endorsement.map(KeyFile.endorsement))
    }

    /// Returns the sequence; a further signature of the same edition keeps its number.
    private static func sequence(
        after earlier: EarlierSignatures?, addsRows: Bool, at time: ArchiveTime
    ) throws -> UInt64 {
        let seconds = UInt64(max(0, time.nanoseconds / 1_000_000_000))
        guard let earlier, let before = earlier.own?.sequence else { return seconds }
        if earlier.laterCommitCount == 0, !addsRows { return before }
        guard before < .max else {
            throw ValidationError("the previous edition has the highest sequence number; give one with --sequence")
        }
        return max(before + 1, seconds)
    }
}
