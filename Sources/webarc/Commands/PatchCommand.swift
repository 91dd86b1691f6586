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
        abstract: "Apply a patch to the old edition of an archive.",
        discussion: """
            The result is the new archive given to webarc diff, byte for byte. webarc verifies this before it renames the file: a patch of a different archive, \
            a damaged patch and a damaged archive change nothing. A patch that produces more than --max-size is rejected before anything is written. With --key, the new archive must be signed by the keys, and each part of it is verified.

            EXAMPLES:
              webarc patch site-1.webarc site-2.webarcpatch -o site-2.webarc
              webarc patch site.webarc new.webarcpatch -o site.webarc --key publisher.pub

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .busy, .interrupted]))
            """)

    @Argument(help: "The old archive.", completion: .file(extensions: ["webarc"]))
    var old: String

    @Argument(help: "The patch.", completion: .file())
    var patch: String

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "The archive to write, which may be the old one. An existing archive is replaced.", valueName: "file"),
        completion: .file(extensions: ["webarc"]))
    var output: String

    @OptionGroup var trust: TrustOptions

    @Option(
        help: ArgumentHelp(
            "The maximum size of the new archive, and of its contents: 500M, 20G. (default: 256M + 2 × (old archive and its contents) + 100 × patch)",
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
                "\(output): \(SizeFormat.bytes(summary.newLength)) from a patch of \(SizeFormat.bytes(summary.patchLength))"
            )
        }
    }

    /// Returns the error with the names of the user's files.
    private func named(_ error: ArchiveError) -> ArchiveError {
        // An archive that was changed has no other message with the name of the patch.
        if error.code == .changed, error.message.contains("the patch \(patch) ") {
            return ArchiveError(
                .changed, "\(error.message); give the edition from which it was made", path: error.path)
        }
        guard error.path == "\(output).partial", error.code != .invalidArgument else { return error }
        return ArchiveError(
            error.code, "in the archive that it produces, \(error.message)", path: patch, offset: error.offset,
            cause: error.cause, recovery: error.recovery)
    }
}
