// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebArchiveUpdates
import WebarcCommandLine

struct PatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "patch",
        abstract: "Make the new edition of an archive from the old one and a patch.",
        discussion: """
            The result is the archive that webarc diff was given, byte for byte. webarc proves that before the file gets its name: a patch for another archive, \
            a damaged patch and a damaged archive change nothing. A patch that gives more than --max-size is refused before anything is written. With --key, the keys must have signed the new archive, and each part of it is verified.

            EXAMPLES:
              webarc patch site-1.webarc site-2.webarcpatch -o site-2.webarc
              webarc patch site.webarc new.webarcpatch -o site.webarc --key publisher.pub

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .busy, .interrupted]))
            """)

    @Argument(help: "The archive for which the patch was made.", completion: .file(extensions: ["webarc"]))
    var old: String

    @Argument(help: "The patch.", completion: .file())
    var patch: String

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "The archive to write, which may be the old one; an archive of this name is replaced.", valueName: "file"),
        completion: .file(extensions: ["webarc"]))
    var output: String

    @OptionGroup var trust: TrustOptions

    @Option(
        help: ArgumentHelp(
            "The maximum size of the new archive, and of its pages and files: 500M, 20G. (default: 256M, twice the old archive with its pages and files, and 100 times the size of the patch, together)",
            valueName: "size"))
    var maxSize: SizeArgument?

    @OptionGroup var threads: ThreadsOption
    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func run() throws {
        var patcher = ArchivePatcher(from: FilePath(old), patch: FilePath(patch), trust: try trust.trust())
        patcher.threads = threads.count
        patcher.maximumLength = maxSize.map { UInt64($0.bytes) }
        let summary = try progress.showing("Patching") { line in
            try Interruption.guarding(FilePath(output)) {
                do throws(ArchiveError) {
                    return try patcher.run(into: FilePath(output)) { line?.update($0) }
                } catch {
                    throw named(error)
                }
            }
        }
        if json.isOn {
            try StandardOutput.shared.json([
                "file": .string(output), "newLength": .number(summary.newLength),
                "patchLength": .number(summary.patchLength),
            ])
        } else {
            progress.summarise(
                "\(output): \(SizeFormat.bytes(summary.newLength)), of a patch of \(SizeFormat.bytes(summary.patchLength))"
            )
        }
    }

    /// Returns the error with the names of the user's files.
    private func named(_ error: ArchiveError) -> ArchiveError {
        // An archive that was changed has no other message with the name of the patch.
        if error.code == .changed, error.message.contains(patch) {
            return ArchiveError(
                .changed, "\(error.message); it needs the edition that it was made from", path: error.path)
        }
        guard error.path == "\(output).partial" else { return error }
        return ArchiveError(
            error.code, "in the archive that it gives, \(error.message)", path: patch, offset: error.offset,
            cause: error.cause, recovery: error.recovery)
    }
}
