// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebArchiveUpdates
import WebarcCommandLine

struct HealCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heal",
        abstract: "Repair a damaged signed archive from other copies.",
        discussion: """
            The signature of an archive covers a hash of each part. webarc heal finds the damaged parts and replaces them from other files: copies of \
            the archive, even damaged ones, unfinished downloads, fragments, and other editions. Each part is verified before it is written, so \
            a wrong copy has no effect. If the header or the end of the archive is damaged, a copy of the same edition must have both; a warning names \
            the edition. Bytes behind the end of the archive are removed, unless they may be a later edition: \
            that is an error without -o.

            Without --key, the archive's own signature shows whether a part is authentic, but not who signed it. The healed archive is written beside the old one \
            and renamed, so the disk needs space for both. An archive without a signature cannot be healed; for such files, the guide to damaged archives \
            describes par2.

            EXAMPLES:
              webarc heal site.webarc --from /media/stick/site.webarc
              webarc heal site.webarc --from site.webarc.download --from older.webarc \\
                  --key publisher.pub -o healed.webarc

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .busy, .interrupted]))
            """)

    @OptionGroup var archive: ArchiveArgument

    @Option(
        help: ArgumentHelp(
            "A file that may contain the missing parts. May be given several times.", valueName: "file"),
        completion: .file())
    var from: [String] = []

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "Write the healed archive to this file, and keep the damaged one unchanged. An existing archive is replaced.",
            valueName: "file"),
        completion: .file(extensions: ["webarc"]))
    var output: String?

    @OptionGroup var trust: TrustOptions
    @OptionGroup var threads: ThreadsOption
    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func validate() throws {
        guard !from.isEmpty else { throw ValidationError("no copy to heal from; give one with --from") }
        if let address = from.first(where: { $0.contains("://") }) {
            throw ValidationError("--from takes a file, not '\(address)'; download the copy first")
        }
    }

    func run() throws {
        let target = FilePath(output ?? archive.file)
        var healer = ArchiveHealer(archive.path, from: from.map { FilePath($0) }, trust: try trust.trust())
        healer.threads = threads.count
        let summary = try progress.showing("Healing") { line in
            try Interruption.guarding(target) {
                try healer.run(into: output.map { FilePath($0) }) { line?.update($0) }
            }
        }
        if summary.lostParts > 0 {
            Diagnostics.warn(
                "\(archive.file): \(SizeFormat.count(summary.lostParts, "part")) (\(SizeFormat.bytes(summary.lostLength))) still damaged; give another copy with --from"
            )
        }
        if let source = summary.editionSource {
            Diagnostics.warn(
                "\(archive.file): the end or the header is damaged; it was healed as edition \(summary.sequence) of \(summary.series), which \(source) has; check that this is the edition"
            )
        }
        if json.isOn {
            try StandardOutput.shared.json([
                "file": .string(target.string), "healedParts": .number(summary.healedParts),
                "healedLength": .number(summary.healedLength), "lostParts": .number(summary.lostParts),
                "lostLength": .number(summary.lostLength), "coveredLength": .number(summary.coveredLength),
                "removedLength": .number(summary.removedLength), "series": .string(summary.series),
                "sequence": .number(summary.sequence), "editionFrom": .text(summary.editionSource?.string),
            ])
        } else {
            let healed = summary.healedParts == 0 ? "nothing" : SizeFormat.count(summary.healedParts, "part")
            let removed =
                summary.removedLength > 0 ? "; \(SizeFormat.bytes(summary.removedLength)) behind its end removed" : ""
            progress.summarise("\(target): \(healed) healed, \(SizeFormat.bytes(summary.healedLength))\(removed)")
        }
        if summary.lostParts > 0 { throw ExitStatus.damaged.exitCode }
    }
}
