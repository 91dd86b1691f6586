// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebarcCommandLine

struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign an archive, so that readers can tell who made it.",
        discussion: """
            Appends a commit that holds hashes of all parts of the archive, and a signature. Every program reads the archive as \
            before, even one that does not support signatures. Sign again after each later append: readers with keys use only what is \
            signed.

            Several people can sign one after the other; readers can ask for the signatures of several (--signatures). webarc verifies the archive before \
            it signs.

            EXAMPLES:
              webarc key create publisher.key
              webarc sign site.webarc --key publisher.key
              webarc verify site.webarc --key publisher.pub
              openssl pkey -in encrypted.pem | webarc sign site.webarc --key -

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .ioError, .busy, .interrupted]))
            """)

    @OptionGroup var archive: ArchiveArgument

    @Option(
        help: ArgumentHelp(
            "The file of a secret key, or - for standard input. May be given several times.", valueName: "file"),
        completion: .file())
    var key: [String] = []

    @OptionGroup var statement: StatementOptions
    @OptionGroup var threads: ThreadsOption
    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func validate() throws {
        guard !key.isEmpty else { throw ValidationError("name the secret key with --key; webarc key create makes one") }
    }

    func run() throws {
        let reader = try archive.open()
        var signing = try statement.signing(
            key, existing: reader, addsRows: false, host: reader.mainPage()?.hostText, time: SourceDateEpoch.time)
        signing.threads = threads.count
        try check(reader)
        let writer = try ArchiveWriter(
            appendingTo: archive.path, options: ArchiveWriter.Options(signing: signing))
        guard writer.isAppending(to: reader) else {
            throw ArchiveError(.changed, "the archive changed after it was verified; try again", path: archive.file)
        }
        try Interruption.guarding(archive.path) { try writer.commit() }
        let keys = signing.keys.map(\.publicKey.description)
        if json.isOn {
            try StandardOutput.shared.json([
                "file": .string(archive.file), "series": .string(signing.series), "sequence": .number(signing.sequence),
                "keys": .array(keys.map { .string($0) }),
            ])
        } else {
            progress.summarise(
                "\(archive.file): edition \(signing.sequence) of \(signing.series), signed by \(keys.joined(separator: ", "))"
            )
        }
    }

    /// A signature says that the archive is as its publisher made it, so damage is not signed.
    private func check(_ plain: ArchiveReader) throws {
        // Parts that earlier signatures cover are proved as well: a new one would not make them right.
        let keys = try plain.signingKeys()
        let reader = keys.isEmpty ? plain : try ArchiveReader(verifying: plain, trust: ArchiveTrust(keys))
        let findings = progress.showing("Verifying") { line in
            Interruption.guarding {
                ArchiveVerifier(reader, threads: threads.count).run { line?.update(bytes: $0, of: $1) }
            }
        }
        guard let damage = findings.first(where: { $0.severity == .error }) else { return }
        throw ArchiveError(
            .damaged, "\(damage.message), so that it is not signed", path: archive.file, offset: damage.offset)
    }
}

extension CanonicalURL {
    /// The host as text; nil without one.
    var hostText: String? { host.map { String(decoding: $0, as: UTF8.self) } }
}
