// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebArchiveUpdates
import WebarcCommandLine

struct ReleaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Add a signed archive to a folder from which webarc update takes the newest edition.",
        discussion: """
            The folder can be served by any static host, or copied to a stick. It has the last archives, patches between them, and updates.json, the signed \
            list of both, which is written last. The archive must be signed with one of the keys, and be newer than the editions that the folder has. It is verified \
            first, as webarc verify does, which takes as long. All users may read the files of the folder. Packing with webarc pack --like and the edition \
            before keeps blocks that did not change, so that the patch is made sooner.

            EXAMPLES:
              webarc pack site -o site.webarc --sign publisher.key
              webarc release public/site site.webarc --sign publisher.key
              webarc pack site -o site.webarc --like site.webarc --sign publisher.key
              webarc release public/site site.webarc --sign publisher.key
              webarc update site.webarc --from https://downloads.example/site --key publisher.pub

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .interrupted]))
            """)

    @Argument(help: "The folder; webarc makes it if it is not there.", completion: .directory)
    var folder: String

    @Argument(help: "The signed archive.", completion: .file(extensions: ["webarc"]))
    var archive: String

    @Option(
        help: ArgumentHelp(
            "The secret key that signs the list: a file of webarc key create, or - for standard input. May be given several times.",
            valueName: "file"), completion: .file())
    var sign: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file of webarc key endorse, in which an older key endorses the new one. May be given several times.",
            valueName: "file"), completion: .file())
    var endorsement: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file of webarc key revoke: devices that update stop trusting its key. The folder keeps it. May be given several times.",
            valueName: "file"), completion: .file())
    var revocation: [String] = []

    @Option(help: ArgumentHelp("The number of archives that stay in the folder, 1 to 100.", valueName: "number"))
    var keep = 5

    @Option(
        help: ArgumentHelp(
            """
            The time after which readers refuse the list, such as 90d, so that they notice a host that withholds newer lists. \
            (default: never)
            """,
            valueName: "duration"))
    var expires: DurationArgument?

    @Option(help: ArgumentHelp("The level of zstd for patches, 1 to 19.", valueName: "n"))
    var level = ArchiveDiffer.Options().level

    @Flag(help: "Make patches that work with any version of LZ4.")
    var portable = false

    @OptionGroup var threads: ThreadsOption
    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func validate() throws {
        guard !sign.isEmpty else { throw ValidationError("no key that signs the list; name one with --sign") }
        guard (1...100).contains(keep) else { throw ValidationError("--keep \(keep): it is 1 to 100") }
        guard (1...19).contains(level) else { throw ValidationError("--level \(level): it is 1 to 19") }
    }

    func run() throws {
        var release = ArchiveRelease(into: FilePath(folder), keys: try sign.map(KeyFile.secretKey))
        release.endorsements = try endorsement.map(KeyFile.endorsement)
        release.revocations = try revocation.map(KeyFile.revocation)
        release.keptEditions = keep
        release.lifetime = expires.map { $0.duration.components.seconds }
        (release.diffing.level, release.diffing.isPortable, release.diffing.threads) = (level, portable, threads.count)
        let summary = try progress.showing("Releasing") { line in
            try release.publish(FilePath(archive)) { line?.update($0) }
        }
        if json.isOn {
            try StandardOutput.shared.json([
                "folder": .string(folder), "series": .string(summary.series), "sequence": .number(summary.sequence),
                "length": .number(summary.length), "editions": .number(summary.editionCount),
                "patches": .array(
                    summary.patches.map {
                        .object(sorting: ["from": .number($0.from), "length": .number($0.length)])
                    }),
            ])
        } else {
            let patches = summary.patches.map { "\(SizeFormat.bytes($0.length)) from \($0.from)" }.joined(
                separator: ", ")
            progress.summarise(
                "\(folder): edition \(summary.sequence) of \(summary.series), \(SizeFormat.bytes(summary.length))"
                    + (patches.isEmpty ? "" : "; patches: \(patches)"))
        }
    }
}
