// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebarcCommandLine

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify archives, and list all damage.",
        discussion: """
            Checks every checksum, row and digest, and continues after each finding. A finding names the byte in the file, and every \
            affected URL: pages share blocks and dictionaries, so that one wrong byte can affect many. On a terminal, long lists are truncated. \
            Errors mean damage. Warnings do not: for example, an unfinished commit, a missing main page or a missing redirect target. \
            With --key, webarc also verifies that every byte is signed by the key.

            EXAMPLES:
              webarc verify site.webarc
              webarc verify --quick *.webarc
              webarc verify --json site.webarc | jq .findings
              webarc verify site.webarc --key publisher.pub

            \(ExitStatus.explanation(of: ExitStatus.reading + [.interrupted]))
            With several archives, the exit status is the highest of theirs.
            """)

    @Argument(help: "The archives.", completion: .file(extensions: ["webarc"]))
    var file: [String]

    @Flag(help: "Check the structure and the index only, not the bodies.")
    var quick = false

    @OptionGroup var trust: TrustOptions
    @OptionGroup var threads: ThreadsOption
    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func run() throws {
        let trust = try trust.trust()
        var worst = ExitStatus.done
        for name in file { worst = max(worst, try verify(name, trust)) }
        if worst != .done { throw worst.exitCode }
    }

    private func verify(_ name: String, _ trust: ArchiveTrust?) throws -> ExitStatus {
        let reader: ArchiveReader
        do throws(ArchiveError) {
            reader = try ArchiveReader(path: FilePath(name), trust: trust)
        } catch {
            return try report(name, opening: error)
        }
        let findings = progress.showing(file.count > 1 ? "Verifying \(name)" : "Verifying") { line in
            Interruption.guarding {
                ArchiveVerifier(reader, depth: quick ? .quick : .full, threads: threads.count).run {
                    line?.update($0)
                }
            }
        }
        let report = VerificationReport(file: name, findings: findings, reader: reader, isQuick: quick)
        if json.isOn {
            try StandardOutput.shared.json(report.json)
        } else {
            try report.print(isQuiet: progress.quiet)
        }
        return report.isIntact ? .done : .damaged
    }

    /// Reports an archive that cannot be opened, which has one finding.
    private func report(_ name: String, opening error: ArchiveError) throws -> ExitStatus {
        if json.isOn {
            let finding = VerificationFinding(error)
            let report = VerificationReport(file: name, findings: [finding], failure: error.code)
            try StandardOutput.shared.json(report.json)
        } else {
            Diagnostics.report(error.at(path: name))
        }
        return ExitStatus(error.code)
    }
}
