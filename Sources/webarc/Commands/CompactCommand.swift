// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebarcCommandLine

struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Merge the commits of an archive into one.",
        discussion: """
            Each run of pack --append adds a commit. An archive of one commit is smaller, and faster to read. All captures of all URLs are kept. \
            webarc copies bodies as stored, checks the checksum of each block, and decodes the block. Without --output, webarc stops at the first damaged entry and changes nothing. With --output, it omits and reports damaged entries. The exit status is 1 in both cases. webarc does not compute the digests of bodies; \
            webarc verify does. The new archive replaces the old one when it is complete, so the disk needs space for both.

            EXAMPLES:
              webarc compact site.webarc
              webarc compact site.webarc -o smaller.webarc

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .busy, .interrupted]))
            """)

    @OptionGroup var archive: ArchiveArgument

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "Write to this file, and keep the archive unchanged. An existing archive is replaced.",
            valueName: "file"),
        completion: .file(extensions: ["webarc"]))
    var output: String?

    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func run() throws {
        let target = FilePath(output ?? archive.file)
        let wasSigned = try ArchiveReader(path: archive.path).lastStatement() != nil
        let summary = try progress.showing("Compacting") { line in
            try Interruption.guarding(target) {
                try ArchiveCompactor(archive.path, into: target).run(progress: { line?.update($0) })
            }
        }
        LeftOutDamage(damage: summary.damage, file: archive.file).tell()
        if wasSigned, try ArchiveReader(path: target).lastStatement() == nil {
            Diagnostics.warn("the archive was signed, but the new one is not; sign it with webarc sign")
        }
        if json.isOn {
            try StandardOutput.shared.json([
                "file": .string(target.string), "commits": .number(summary.commits),
                "entries": .number(summary.entries), "bodies": .number(summary.bodies),
                "lengthBefore": .number(summary.lengthBefore), "lengthAfter": .number(summary.lengthAfter),
                "damagedEntries": .number(summary.damage.count),
            ])
        } else {
            progress.summarise(
                "\(target): \(SizeFormat.count(summary.commits, "commit")) to 1, "
                    + "\(SizeFormat.bytes(summary.lengthBefore)) to \(SizeFormat.bytes(summary.lengthAfter))")
        }
        if !summary.damage.isEmpty { throw ExitStatus.damaged.exitCode }
    }
}
