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
        abstract: "Publish a signed archive in a release folder for webarc update.",
        discussion: """
            Any static host can serve the folder, and it can be copied to a USB stick. It contains the last archives, patches between them, and updates.json, the signed \
            list of both, which is written last. The archive must be signed with one of the keys. The archive must be newer than every edition in the folder. Releasing the newest edition again renews the list. webarc verifies the archive \
            first, which takes as long as webarc verify. All users can read the files in the folder. Packing with webarc pack --like and the previous \
            edition keeps unchanged blocks, so that creating the patch is faster.

            EXAMPLES:
              webarc pack site -o site.webarc --base-url https://docs.example/ \\
                  --sign publisher.key
              webarc release public/site site.webarc --sign publisher.key
              webarc pack site -o site.webarc --like site.webarc --sign publisher.key
              webarc release public/site site.webarc --sign publisher.key
              webarc update site.webarc --key publisher.pub \\
                  --from https://downloads.example/site

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .busy, .interrupted]))
            """)

    @Argument(help: "The release folder; it is created if missing.", completion: .directory)
    var folder: String

    @Argument(help: "The signed archive.", completion: .file(extensions: ["webarc"]))
    var archive: String

    @Option(
        help: ArgumentHelp(
            "The secret key that signs the list: a file, or - for standard input. May be given several times; see webarc key.",
            valueName: "file"), completion: .file())
    var sign: [String] = []

    @Option(
        help: ArgumentHelp(
            "An endorsement of the new key by an older one, from webarc key endorse. May be given several times.",
            valueName: "file"), completion: .file())
    var endorsement: [String] = []

    @Option(
        help: ArgumentHelp(
            "A revocation from webarc key revoke: devices that update stop trusting its key. The list keeps it. May be given several times.",
            valueName: "file"), completion: .file())
    var revocation: [String] = []

    @Option(
        help: ArgumentHelp(
            "The public key that signed the existing list, if its secret key is lost: a file or its text. May be given several times.",
            valueName: "key"), completion: .file(extensions: ["pub"]))
    var formerKey: [String] = []

    @Option(help: ArgumentHelp("The number of archives to keep in the folder, 1 to 100.", valueName: "number"))
    var keep = 5

    @Option(
        help: ArgumentHelp(
            """
            The time after which readers reject the list, such as 90d, to detect a host that withholds newer lists; never for none. \
            (default: as in the previous list, else never)
            """,
            valueName: "duration"))
    var expires: LifetimeArgument?

    @Flag(help: "Release the archive even if its main page is missing.")
    var force = false

    @Option(help: ArgumentHelp("The zstd level of patches, 1 to 19.", valueName: "n"))
    var level = ArchiveDiffer.Options().level

    @Flag(help: "Create patches that work with any version of LZ4.")
    var portable = false

    @OptionGroup var threads: ThreadsOption
    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func validate() throws {
        guard !sign.isEmpty else { throw ValidationError("no signing key; give one with --sign") }
        guard (1...100).contains(keep) else {
            throw ValidationError("--keep takes a number from 1 to 100, not '\(keep)'")
        }
        guard (1...19).contains(level) else {
            throw ValidationError("--level takes a number from 1 to 19, not '\(level)'")
        }
    }

    func run() throws {
        var release = ArchiveRelease(into: FilePath(folder), keys: try sign.map(KeyFile.secretKey))
        release.endorsements = try endorsement.map(KeyFile.endorsement)
        release.revocations = try revocation.map(KeyFile.revocation)
        release.formerKeys = Set(try formerKey.map(KeyFile.publicKey))
        release.keptEditions = keep
        release.lifetime = expires?.lifetime ?? .asBefore
        (release.diffing.level, release.diffing.isPortable, release.diffing.threads) = (level, portable, threads.count)
        if case .seconds(let seconds) = release.lifetime, seconds < 86_400 {
            Diagnostics.warn(
                "--expires is \(SizeFormat.count(Int(seconds), "second")): devices refuse the list after that; give days, such as 90d"
            )
        }
        if !force { try checkMainPage() }
        let summary = try progress.showing("Releasing") { line in
            try interruptible { try release.publish(FilePath(archive)) { line?.update($0) } }
        }
        for edition in summary.missing {
            Diagnostics.warn(
                "\(folder): the archive of edition \(edition) is missing; it gets no patch")
        }
        for key in summary.forgottenKeys {
            Diagnostics.warn(
                "\(folder): the list before had an endorsement by key \(key), and this one has none; devices with that key alone refuse it; pack the archive again with --endorsement, and release it with --endorsement"
            )
        }
        if summary.unlistedCount > 0 {
            let files = SizeFormat.count(summary.unlistedCount, "file is", "files are")
            Diagnostics.warn("\(folder): \(files) not in the list; remove if unused")
        }
        try report(summary)
    }

    /// Runs a piece of work that reports at a signal whether the list is still the old one.
    private func interruptible<Value>(_ work: () throws -> Value) throws -> Value {
        let list = FilePath(folder).appending(UpdateManifest.fileName)
        let former = FileStatus(of: list)?.number
        return try Interruption.guarding(
            finishing: {
                FileStatus(of: list)?.number == former ? "the list was not changed" : "the list is the new one"
            },
            work)
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
                "the main page is not in the archive; choose one with webarc pack --main-page, or release with --force",
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
            // Someone has to release again by then, also where a timer runs this.
            if let expiry, !Diagnostics.isTerminal { progress.tell("\(folder): the list expires \(expiry)") }
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
