// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebArchiveUpdates
import WebarcCommandLine

struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Write a patch from an old edition of an archive to a new one.",
        discussion: """
            webarc patch makes the new archive of the old one and the patch, byte for byte, signature included. Pages that changed are stored as \
            differences from the old pages of the same URLs, and the index is rebuilt. Archives that were packed with the same options give small \
            patches. If the new one was packed with webarc pack --like and the old one, diff is quicker, and patches with --portable are much smaller.

            The patch relies on the version of LZ4 that made the new archive. With --portable, the patch holds the changed \
            blocks as they are stored in the new archive, and is as large as these blocks. Use it for machines that are not 64-bit and \
            little-endian, or that have another version of liblz4.

            EXAMPLES:
              webarc diff site-1.webarc site-2.webarc -o site-2.webarcpatch
              webarc patch site-1.webarc site-2.webarcpatch -o site-2.webarc

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .interrupted]))
            """)

    @Argument(help: "The archive that its users have.", completion: .file(extensions: ["webarc"]))
    var old: String

    @Argument(
        help: "The new archive, which the patch makes from the old one.", completion: .file(extensions: ["webarc"]))
    var new: String

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The patch to write; a patch of this name is replaced.", valueName: "file"),
        completion: .file())
    var output: String

    @Option(help: ArgumentHelp("The level of zstd, 1 to 19: higher is slower, and the patch smaller.", valueName: "n"))
    var level = ArchiveDiffer.Options().level

    @Flag(help: "Store changed blocks as they are in the new archive, so that the patch works with any version of LZ4.")
    var portable = false

    @OptionGroup var threads: ThreadsOption
    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func validate() throws {
        guard (1...19).contains(level) else { throw ValidationError("--level \(level): it is 1 to 19") }
    }

    func run() throws {
        var options = ArchiveDiffer.Options()
        (options.level, options.isPortable, options.threads) = (level, portable, threads.count)
        let differ = ArchiveDiffer(from: FilePath(old), to: FilePath(new), options: options)
        let summary = try progress.showing("Comparing") { line in
            try Interruption.guarding(FilePath(output)) {
                try differ.run(into: FilePath(output)) { line?.update($0) }
            }
        }
        if !portable, summary.literalLength > 0 {
            Diagnostics.warn(
                "\(new): \(SizeFormat.bytes(summary.literalLength)) of blocks were compressed by another LZ4 than this machine's, and are in the patch as they are"
            )
        }
        if json.isOn {
            try StandardOutput.shared.json([
                "file": .string(output), "patchLength": .number(summary.patchLength),
                "newLength": .number(summary.newLength),
                "sameBodies": .number(summary.sameBodies), "changedBodies": .number(summary.changedBodies),
                "newBodies": .number(summary.newBodies), "literalLength": .number(summary.literalLength),
                "portable": .bool(portable),
            ])
        } else {
            progress.summarise(
                "\(output): \(SizeFormat.bytes(summary.patchLength)) for \(SizeFormat.bytes(summary.newLength)); \(SizeFormat.count(summary.sameBodies, "body", "bodies")) unchanged, \(SizeFormat.count(summary.changedBodies)) changed, \(SizeFormat.count(summary.newBodies)) new"
            )
        }
    }
}
