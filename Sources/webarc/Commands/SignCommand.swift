// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebarcCommandLine

struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign an archive, so that readers can verify its publisher.",
        discussion: """
            Appends a commit with the hashes of all parts of the archive, and a signature. Programs without support for signatures read the archive as \
            before. Sign again after each append: readers with keys use only signed \
            commits. The signature covers all commits, whoever appended them; a warning counts the previously unsigned ones. \
            Inspect them first with webarc info and webarc ls.

            An archive that is already signed by the key is unchanged, unless --series, --sequence or --endorsement changes the statement.

            Several signers can sign in turn; readers can require several signatures (--signatures). A further signer joins the edition of the previous \
            signer, unless its sequence is later than the present time: then give --series and --sequence. webarc verifies the archive before it signs.

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
            "A secret key file, or - for standard input. May be given several times.", valueName: "file"),
        completion: .file())
    var key: [String] = []

    @OptionGroup var statement: StatementOptions
    @OptionGroup var threads: ThreadsOption
    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func validate() throws {
        guard !key.isEmpty else {
            throw ValidationError("no secret key; give one with --key, or make one with webarc key create")
        }
    }

    func run() throws {
        let reader = try archive.open()
        let signer = try statement.keys(key)
        let earlier = try signer.earlierSignatures(of: reader)
        if statement.isEmpty, key.count == 1, let own = earlier.own, earlier.laterCommitCount == 0,
            earlier.foreign.map({ $0 == (own.series, own.sequence) }) ?? true
        {
            return try report(
                series: own.series, sequence: own.sequence, [signer.secret[0].publicKey.description], isNew: false)
        }
        var signing = try statement.signing(
            signer, after: earlier, addsRows: false, host: reader.mainPage()?.hostText, time: SourceDateEpoch.time)
        statement.warn(of: signing, after: earlier)
        signing.threads = threads.count
        try SigningKeys.examine(reader, threads: threads, progress: progress)
        var options = ArchiveWriter.Options(signing: signing)
        options.examined = reader
        let writer = try ArchiveWriter(appendingTo: archive.path, options: options)
        try Interruption.guarding(archive.path) { try writer.commit() }
        earlier.warnAboutNewlySigned(evenWhole: false)
        try report(
            series: signing.series, sequence: signing.sequence, signing.keys.map(\.publicKey.description), isNew: true)
    }

    private func report(series: String, sequence: UInt64, _ keys: [String], isNew: Bool) throws {
        if json.isOn {
            try StandardOutput.shared.json([
                "file": .string(archive.file), "series": .string(series), "sequence": .number(sequence),
                "keys": .array(keys.map { .string($0) }), "added": .bool(isNew),
            ])
        } else if isNew {
            progress.summarise(
                "\(archive.file): edition \(sequence) of \(series), signed by \(keys.joined(separator: ", "))")
        } else {
            progress.tell(
                "\(archive.file): already signed by the key as edition \(sequence) of \(series); nothing was added")
        }
    }
}

extension CanonicalURL {
    /// The host as text; nil without one.
    var hostText: String? { host.map { String(decoding: $0, as: UTF8.self) } }
}
