// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebarcCommandLine

struct SplitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "split",
        abstract: "Split an archive into parts that fit removable media.",
        discussion: """
            The parts are SITE.webarc.001, SITE.webarc.002 and so on: consecutive bytes of the archive. The archive is kept. All \
            commands that read an archive take the first part and read all parts. webarc join combines them again, as does \
            cat SITE.webarc.??? > SITE.webarc. Commands that change an archive need it in one file.

            The default size is the maximum file size of FAT32, 4,294,967,295 bytes; --size 4GiB means the same. An archive has at most 999 parts.

            EXAMPLES:
              webarc split site.webarc -o /media/stick
              webarc split site.webarc --size 700M
              webarc serve /media/stick/site.webarc.001

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .busy, .interrupted]))
            """)

    @OptionGroup var archive: ArchiveArgument

    @Option(help: ArgumentHelp("The size of a part: 650M, 2G, 4GiB.", valueName: "size"))
    var size = SizeArgument(bytes: Int(ArchiveSplitter.maximumFAT32FileLength))

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The folder for the parts. (default: that of the archive)", valueName: "folder"),
        completion: .directory)
    var output: String?

    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func validate() throws {
        guard size.bytes > 0 else { throw ValidationError("--size takes a number of bytes above 0, not '0'") }
        if output?.isEmpty == true { throw ValidationError("--output takes a folder name, not ''") }
    }

    func run() throws {
        // A file of 4 GiB is one byte too long for FAT32.
        let length = size.bytes == 4 << 30 ? ArchiveSplitter.maximumFAT32FileLength : UInt64(size.bytes)
        let splitter = ArchiveSplitter(archive.path, into: output.map { FilePath($0) }, partLength: length)
        let summary = try progress.showing("Splitting") { line in
            try Interruption.guarding(finishing: {
                splitter.abandon() ? "nothing was changed" : "all parts are written"
            }) { try splitter.run { line?.update($0) } }
        }
        if json.isOn {
            try StandardOutput.shared.json([
                "parts": .array(summary.parts.map { .string($0.string) }), "length": .number(summary.length),
            ])
        } else {
            progress.summarise(
                "\(summary.parts.first ?? archive.path): \(SizeFormat.count(summary.parts.count, "part")) of \(SizeFormat.bytes(summary.length))"
            )
        }
    }
}
