// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePacking
import WebarcCommandLine

struct PackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack",
        abstract: "Pack folders and files into an archive.",
        discussion: """
            Every file becomes the response to one URL: the base URL followed by the file's path in the folder. A folder's URL returns its index.html. Files with equal content are stored once.

            A symbolic link that points outside the folder, is dangling, or is part of a loop is skipped with a warning; --exclude skips it silently. \
            --allow-outside-links follows links that point outside, and --strict-links makes every skipped link an error. The archive \
            itself and the file of its signing key are never packed, even if they are in the folder.

            --append --sign fails if unsigned commits follow the newest commit signed by your key. An archive that your key has not signed \
            is verified first, and all its commits are signed, with a warning.

            With --like, the archive keeps the blocks and dictionaries of an earlier edition of the site, so that a patch between the two is small \
            and quick to create. Blocks without a changed file are copied as stored, regardless of --level; changed and new files \
            are compressed. The base URL is that of the earlier edition unless --base-url gives another. Title, main page and other \
            metadata are not taken from it. The new archive may replace it.

            webarc applies the files _headers and _redirects as Netlify does. Paths in these files are relative to the root of the \
            host, even if the base URL has a path. webarc serve, webarc kiosk and apps apply the rules of _redirects, in file order, \
            to all matching URLs.

            webarc writes the archive as FILE.partial, and renames it to FILE when it is complete. The same files give the same archive, \
            byte for byte, for any number of threads.

            EXAMPLES:
              webarc pack site -o site.webarc --base-url https://example.org/
              webarc pack site -o site.webarc --base-url https://example.org/ \\
                  --title "My site" --main-page index.html --exclude '*.map'
              webarc pack news -o site.webarc --append \\
                  --base-url https://example.org/news/
              SOURCE_DATE_EPOCH=1735689600 webarc pack site -o site.webarc
              webarc pack site -o site-2.webarc --like site-1.webarc
              webarc key create publisher.key
              webarc pack site -o site.webarc --base-url https://example.org/ \\
                  --sign publisher.key

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .busy, .interrupted]))
            """)

    @Argument(help: "Folders and files to pack.", completion: .file())
    var source: [String]

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The archive to write. An existing archive is replaced.", valueName: "file"),
        completion: .file(extensions: ["webarc"]))
    var output: String

    @Option(
        help: ArgumentHelp(
            "The URL of the packed folder. (default: with --append or --like that of the archive, else \(ArchivePacker.Options().baseURL))",
            valueName: "url"))
    var baseURL: String?

    @OptionGroup(title: "METADATA") var metadata: MetadataOptions
    @OptionGroup(title: "SELECTION") var selection: SelectionOptions
    @OptionGroup(title: "COMPRESSION") var compression: CompressionOptions

    @Option(
        help: ArgumentHelp(
            "The response time of all entries: a date, RFC 3339, or @ and seconds since 1970.",
            discussion:
                "Without this option, webarc uses the environment variable SOURCE_DATE_EPOCH. If neither is set, the response time is unknown. webarc always stores the time of last modification.",
            valueName: "time"))
    var time: TimeArgument?

    @Flag(help: "Add to the archive instead of replacing it. Its content is kept; the newest response wins.")
    var append = false

    @Option(
        help: ArgumentHelp(
            "An earlier edition of the site, whose blocks and dictionaries are kept to make patches small.",
            valueName: "archive"),
        completion: .file(extensions: ["webarc"]))
    var like: String?

    @OptionGroup var signature: SignOptions
    @OptionGroup var threads: ThreadsOption
    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func validate() throws {
        guard !output.isEmpty else { throw ValidationError("--output takes a file name, not ''") }
        guard like == nil || !append else {
            throw ValidationError("--like and --append exclude each other")
        }
        guard let baseURL else { return }
        guard let url = try? CanonicalURL(baseURL), url.isSpecial || url.authority != nil else {
            throw ValidationError(
                "--base-url takes an absolute URL such as https://example.org/, not '\(baseURL)'")
        }
        guard url.query == nil, !baseURL.contains("#") else {
            throw ValidationError("--base-url takes a URL without a query or a fragment, not '\(baseURL)'")
        }
    }

    func run() throws {
        let archive = FilePath(output)
        let existing = append ? try ArchiveReader(path: archive) : nil
        let edition = try like.map { try ArchiveReader(path: FilePath($0)) }
        let signer = try signature.keys()
        let earlier = try existing.flatMap { try signer?.earlierSignatures(of: $0) }
        try earlier?.refuseStrangers(path: output)
        let base = try base(of: existing ?? edition)
        var options = try options(base: base)
        options.earlierEdition = edition
        if let signer {
            let signing = try signature.statement.signing(
                signer, after: earlier, addsRows: true, host: CanonicalURL(base).hostText, time: options.time)
            if baseURL == nil { signature.statement.warn(of: signing, after: earlier) }
            options.signing = signing
            options.examined = existing
            options.signingKeyFiles = signature.sign.filter { $0 != "-" }.map { FilePath($0) }
        }
        // The commits that the signer's own signature covers were examined then.
        if let existing, let earlier, earlier.own == nil {
            try SigningKeys.examine(existing, threads: threads, progress: progress)
        }
        let packer = ArchivePacker(source.map { FilePath($0) }, into: archive, options: options)
        let summary: ArchivePacker.Summary
        do {
            summary = try progress.showing("Packing") { line in
                try Interruption.guarding(archive) { try packer.run { line?.update($0) } }
            }
        } catch let error as ArchiveError {
            try refuse(error)
        }
        Diagnostics.warn(summary.warnings.map(Self.text), "warning")
        tell(of: summary.warnings.count { $0.code == .linkOutside })
        earlier?.warnAboutNewlySigned(evenWhole: true)
        if signer == nil, try existing?.lastStatement() != nil {
            Diagnostics.warn("the archive was signed, but the added commit is not; sign it with webarc sign")
        }
        if summary.files == 0 { Diagnostics.warn("no files were packed") }
        if json.isOn {
            try StandardOutput.shared.json(PackingReport(archive: output, summary).json)
        } else {
            progress.summarise(PackingReport(archive: output, summary).text)
        }
    }

    /// Names every link that --strict-links refuses, and throws.
    private func refuse(_ error: ArchiveError) throws -> Never {
        guard let links = error.cause as? SkippedLinks else { throw error }
        for link in links.warnings { Diagnostics.report(link.description) }
        Diagnostics.report(
            "nothing was packed, because of --strict-links; exclude the links with --exclude"
                + (selection.allowOutsideLinks ? "" : ", or follow those that point outside with --allow-outside-links")
        )
        throw ExitStatus(error.code).exitCode
    }

    private static func text(_ warning: PackingWarning) -> String {
        switch warning.code {
        case .mainPageChosen: "\(warning); choose another with --main-page"
        case .noMainPage: "\(warning); choose one with --main-page"
        default:
            warning.description
                + (warning.pattern.map { "; --exclude \(ShellWord.quoted($0)) excludes it" } ?? "")
        }
    }

    private func tell(of outsideLinks: Int) {
        guard outsideLinks > 0 else { return }
        Diagnostics.report(
            "--allow-outside-links packs the targets of such links, and --exclude skips the links without a warning")
    }

    /// The maximum length of a base URL, which an archive repeats in each URL, in bytes.
    private static let maximumBaseURLLength = 2048

    /// Returns the URL of the folder: as given, or that of the existing archive or its model.
    private func base(of archive: ArchiveReader?) throws -> String {
        if let baseURL { return baseURL }
        let existing = try archive?.metadata()[MetadataName.baseURL]
        if let existing, existing.utf8.count > Self.maximumBaseURLLength {
            throw ValidationError(
                "the base URL of the archive exceeds \(Self.maximumBaseURLLength) bytes; give one with --base-url")
        }
        return existing ?? ArchivePacker.Options().baseURL
    }

    private func options(base: String) throws -> ArchivePacker.Options {
        var options = ArchivePacker.Options()
        options.baseURL = base
        options.metadata = try metadata.values(base: base)
        options.include = selection.include.map(\.text)
        options.exclude = selection.exclude.map(\.text)
        options.allowsOutsideLinks = selection.allowOutsideLinks
        options.requiresAllLinks = selection.strictLinks
        options.level = compression.level.value
        options.usesDictionaries = !compression.noDictionary
        options.threads = threads.count
        options.time = try time?.time ?? SourceDateEpoch.time
        options.appends = append
        return options
    }
}
