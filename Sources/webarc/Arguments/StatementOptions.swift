// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebarcCommandLine

/// The options for the statement that is signed.
struct StatementOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The series of which the archive is an edition. (default: that of your last signature, else the host of the site)",
            valueName: "name"))
    var series: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The number of the edition, higher than that of the previous one. (default: the time in seconds since 1970)",
            valueName: "number"))
    var sequence: UInt64?

    @Option(
        help: ArgumentHelp(
            "A file of webarc key endorse, in which an older key endorses the new one. May be given several times.",
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
    ///   - keys: the names of the files of the secret keys.
    ///   - existing: the archive that is added to.
    ///   - addsRows: whether the signed commit has content of its own: then it is another edition.
    ///   - host: that of the site, where it is known.
    ///   - time: nil for the present.
    func signing(
        _ keys: [String], existing: ArchiveReader?, addsRows: Bool, host: String?, time: ArchiveTime?
    ) throws -> ArchiveSigning {
        let last = try existing?.lastStatement()
        let secretKeys = try keys.map(KeyFile.secretKey)
        if let last, series == nil || sequence == nil, last.keys.isDisjoint(with: secretKeys.map(\.publicKey)) {
            // Nobody should put a name to what a stranger's file says.
            throw ValidationError(
                "another key signed the archive as edition \(last.sequence) of \(last.series); say what you sign with --series and --sequence"
            )
        }
        guard let series = series ?? last?.series ?? host else {
            throw ValidationError("the archive names no host; name the series with --series")
        }
        let time = time ?? ArchiveTime.now()
        return ArchiveSigning(
            secretKeys, series: series,
            sequence: try sequence ?? Self.sequence(after: last, addsRows: addsRows, at: time), time: time,
            endorsements: try endorsement.map(KeyFile.endorsement))
    }

    /// Another signature of the same edition keeps its number.
    private static func sequence(
        after last: LastStatement?, addsRows: Bool, at time: ArchiveTime
    ) throws -> UInt64 {
        let seconds = UInt64(max(0, time.nanoseconds / 1_000_000_000))
        guard let last else { return seconds }
        let before = last.sequence
        if last.isCurrent, !addsRows { return before }
        guard before < .max else {
            throw ValidationError("the edition before has the highest number that there is; give one with --sequence")
        }
        return max(before + 1, seconds)
    }
}
