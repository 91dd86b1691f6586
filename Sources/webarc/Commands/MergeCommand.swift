// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebarcCommandLine

struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merge several archives into one.",
        discussion: """
            The new archive has all captures of all archives. Equal captures are stored once, and so are shared bodies. The \
            newest capture of a request wins. If times are equal or unknown, the later argument wins. An unknown time is older than every known time.

            Title, main page, language and all other metadata come from the first archive that has them. The redirect rules of all archives \
            apply, up to 16 rule files.

            webarc copies blocks as they are stored and checks the checksum of each. If an archive is damaged, nothing is written; \
            webarc compact -o creates a copy without the damaged entries. The new archive is not signed, unless --sign is given; then webarc verifies \
            the archives first.

            EXAMPLES:
              webarc merge site.webarc news.webarc -o all.webarc
              webarc merge monday.webarc tuesday.webarc wednesday.webarc -o week.webarc
              webarc merge site.webarc news.webarc -o all.webarc --sign publisher.key

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .busy, .interrupted]))
            """)

    @Argument(
        help: "The archives. If times are equal, the later archive wins.",
        completion: .file(extensions: ["webarc"]))
    var archives: [String]

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "The archive to write; it must not be an input. An existing archive is replaced.",
            valueName: "file"),
        completion: .file(extensions: ["webarc"]))
    var output: String

    @OptionGroup var trust: TrustOptions

    @OptionGroup var signature: SignOptions
    @OptionGroup var threads: ThreadsOption
    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func validate() throws {
        guard !output.isEmpty else { throw ValidationError("--output takes a file name, not ''") }
        guard archives.count <= ArchiveMerger.archiveLimit else {
            throw ValidationError(
                "at most \(ArchiveMerger.archiveLimit) archives can be merged at once; merge some of them first")
        }
    }

    func run() throws {
        let target = FilePath(output)
        let trust = try trust.trust()
        let readers = try archives.map { try ArchiveReader(warningAboutTornTail: FilePath($0), trust: trust) }
        var merger = ArchiveMerger(readers, into: target)
        merger.signing = try signing(readers)
        let summary = try progress.showing("Merging") { line in
            try Interruption.guarding(target) { try merger.run { line?.update($0) } }
        }
        if merger.signing == nil, try readers.contains(where: { try $0.lastStatement() != nil }) {
            Diagnostics.warn("an archive was signed, but the new one is not; sign it with webarc sign")
        }
        if summary.unusedRuleFiles > 0 {
            Diagnostics.warn(
                "\(target): \(SizeFormat.count(summary.unusedRuleFiles, "rule file")) too many; the first 16 apply")
        }
        if json.isOn {
            try StandardOutput.shared.json([
                "file": .string(output), "archives": .number(readers.count), "entries": .number(summary.entries),
                "repeatedEntries": .number(summary.repeatedEntries), "bodies": .number(summary.bodies),
                "sharedBodies": .number(summary.sharedBodies), "lengthBefore": .number(summary.lengthBefore),
                "length": .number(summary.length),
            ])
        } else {
            progress.summarise(
                "\(target): \(SizeFormat.count(summary.entries, "entry", "entries")) of \(SizeFormat.count(readers.count, "archive")), "
                    + "\(SizeFormat.count(summary.sharedBodies, "body", "bodies")) shared; \(SizeFormat.bytes(summary.lengthBefore)) to \(SizeFormat.bytes(summary.length))"
            )
        }
    }

    /// Returns the signature of the new archive; nil without a key. Neither damage nor commits of strangers are signed.
    private func signing(_ archives: [ArchiveReader]) throws -> ArchiveSigning? {
        guard let keys = try signature.keys() else { return nil }
        let host = try archives.compactMap { try $0.mainPage()?.hostText }.first
        var signing = try signature.statement.signing(
            keys, after: nil, addsRows: true, host: host, time: SourceDateEpoch.time)
        signing.threads = threads.count
        for archive in archives {
            // A reader with keys leaves out unsigned commits.
            if trust.requireKey.isEmpty {
                let earlier = try keys.earlierSignatures(of: archive)
                try earlier.refuseStrangers(path: archive.name)
                earlier.warnAboutNewlySigned(evenWhole: false)
            }
            try SigningKeys.examine(archive, threads: threads, progress: progress)
        }
        return signing
    }
}
