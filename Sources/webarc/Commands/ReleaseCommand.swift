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
            list of both, which is written last. The archive must be signed with one of the keys, and be newer than the editions that the folder has; the newest of these, released again, renews the list. It is verified \
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
            The time after which readers refuse the list, such as 90d, so that they notice a host that withholds newer lists; never for none. \
            (default: as for the list before, else never)
            """,
            valueName: "duration"))
    var expires: LifetimeArgument?

    @Flag(help: "Release an archive without its main page as well.")
    var force = false

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
        release.lifetime = expires?.lifetime ?? .asBefore
        (release.diffing.level, release.diffing.isPortable, release.diffing.threads) = (level, portable, threads.count)
        if !force { try checkMainPage() }
        let summary = try progress.showing("Releasing") { line in
            try release.publish(FilePath(archive)) { line?.update($0) }
        }
        for edition in summary.missing {
            Diagnostics.warn(
                "\(folder): the archive of edition \(edition) is not in the folder any more; it gets no patch")
        }
        if summary.unlistedCount > 0 {
            let files = SizeFormat.count(summary.unlistedCount, "archive or patch is", "archives and patches are")
            Diagnostics.warn("\(folder): \(files) in no list; remove what nobody needs")
        }
        try report(summary)
    }

    /// Checks the main page: an archive without one would go to all devices.
    private func checkMainPage() throws {
        let reader = try ArchiveReader(path: FilePath(archive))
        let matcher = SiteMatcher([ArchiveMatcher(reader, options: .serving)])
        guard let page = try reader.mainPage(),
            try matcher.match(MatchRequest(url: page), within: .forRequest()).response != nil
        else {
            throw ArchiveError(
                .notFound,
                "the main page is not in the archive; name one with --main-page of webarc pack, or release it with --force",
                path: archive)
        }
    }

    private func report(_ summary: ArchiveRelease.Summary) throws {
        let expiry = summary.expires.flatMap { ArchiveTime(seconds: $0) }.map(Timestamp.text)
        if json.isOn {
            try StandardOutput.shared.json([
                "folder": .string(folder), "series": .string(summary.series), "sequence": .number(summary.sequence),
                "length": .number(summary.length), "editions": .number(summary.editionCount),
                "expires": expiry.map { .string($0) } ?? .null, "renewed": .bool(summary.isRenewal),
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
                    + (summary.isRenewal ? "; the list is renewed" : "")
                    + (patches.isEmpty ? "" : "; patches: \(patches)")
                    + "; the list " + (expiry.map { "expires \($0)" } ?? "never expires"))
        }
    }
}

/// A time span in the form of ``DurationArgument``, or `never`.
struct LifetimeArgument: FormedArgument {
    static let form = "\(DurationArgument.form), or never"

    let lifetime: ArchiveRelease.Lifetime

    init?(argument: String) {
        if argument == "never" {
            lifetime = .unlimited
        } else if let span = DurationArgument(argument: argument) {
            lifetime = .seconds(span.duration.components.seconds)
        } else {
            return nil
        }
    }
}
