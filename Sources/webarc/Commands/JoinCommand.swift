// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebarcCommandLine

struct JoinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Join the parts of an archive into one file.",
        discussion: """
            Give the first part. The other parts must be in the same folder. webarc checks the checksums of the index and of all blocks before it writes, and names \
            a part that is missing, too short, or of a different archive. The parts are kept.

            EXAMPLES:
              webarc join /media/stick/site.webarc.001 -o site.webarc

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .busy, .interrupted]))
            """)

    @Argument(help: "The first part, which ends in .001.", completion: .file(extensions: ["001"]))
    var part: String

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "The archive to write. An existing archive is replaced. (default: the name of the part without .001)",
            valueName: "file"),
        completion: .file(extensions: ["webarc"]))
    var output: String?

    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func validate() throws {
        if output?.isEmpty == true { throw ValidationError("--output takes a file name, not ''") }
    }

    func run() throws {
        let joiner = ArchiveJoiner(FilePath(part), into: output.map { FilePath($0) })
        let summary = try progress.showing("Joining") { line in
            try Interruption.guarding(joiner.target) { try joiner.run { line?.update($0) } }
        }
        if json.isOn {
            try StandardOutput.shared.json([
                "file": .string(joiner.target.string), "parts": .number(summary.parts),
                "length": .number(summary.length),
            ])
        } else {
            progress.summarise(
                "\(joiner.target): \(SizeFormat.count(summary.parts, "part")), \(SizeFormat.bytes(summary.length))")
        }
    }
}
