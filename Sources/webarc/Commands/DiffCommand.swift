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
        abstract: "Create a patch from an old edition of an archive to a new one.",
        discussion: """
            webarc patch recreates the new archive from the old one and the patch, byte for byte, signature included. Changed pages are stored as \
            differences from the old pages with the same URLs, and the index is rebuilt. Archives packed with the same options have small \
            patches. If the new archive was packed with --like OLD, diff is faster, and patches with --portable are much smaller.

            The patch relies on the version of LZ4 that made the new archive. With --portable, the patch contains the changed \
            blocks as stored in the new archive, and is as large as these blocks. Use it for machines that are not 64-bit and \
            little-endian, or that have a different version of liblz4.

            EXAMPLES:
              webarc diff site-1.webarc site-2.webarc -o site-2.webarcpatch
              webarc patch site-1.webarc site-2.webarcpatch -o site-2.webarc

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .interrupted]))
            """)

    @Argument(help: "The old archive.", completion: .file(extensions: ["webarc"]))
    var old: String

    @Argument(
        help: "The new archive, which the patch recreates from the old one.", completion: .file(extensions: ["webarc"]))
    var new: String

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The patch to write. An existing patch is replaced.", valueName: "file"),
        completion: .file())
    var output: String

    @Option(help: ArgumentHelp("The zstd level, 1 to 19: higher is slower, and the patch is smaller.", valueName: "n"))
    var level = ArchiveDiffer.Options().level

    @Flag(help: "Store changed blocks as in the new archive, so that the patch works with any version of LZ4.")
    var portable = false

    @OptionGroup var threads: ThreadsOption
    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func validate() throws {
        guard (1...19).contains(level) else {
            throw ValidationError("--level takes a number from 1 to 19, not '\(level)'")
        }
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
                "\(new): \(SizeFormat.bytes(summary.literalLength)) of blocks could not be reproduced with this version of LZ4 and are stored in the patch"
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
