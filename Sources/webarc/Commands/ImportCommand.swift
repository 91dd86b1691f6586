// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchiveInterchange
import WebArchivePresentation
import WebarcCommandLine

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make an archive from WARC, ARC, WACZ, HAR and ZIM files and mirrored folders.",
        discussion: """
            Reads WARC and ARC files, WACZ files, HAR files of browsers and proxies, and ZIM files, and recognises them by their contents, also compressed \
            by gzip, zstd or LZ4 (but not WACZ and ZIM files). All requests and responses go \
            into one archive: fields as they were received, bodies without the codings that they really have. Equal bodies are stored once.

            A revisit record gets the body to which it refers, even if that comes later or is in another of the files. A revisit whose body is in \
            none of them is kept without a body, is never served, and is reported. Other records, such as metadata, are kept as they are.

            The pages of a WACZ file become the archive's list of pages, and its title, description and main page those of the archive. Its digests \
            are checked, its signature is not. A collection of WACZ files (multi-WACZ) gives all parts that are in its file, or beside it.

            A HAR file has bodies only if it was saved with content. A response whose body it lacks is kept without a body, is never served, and is \
            reported. A failed load is kept with its reason. Text that is not ASCII becomes UTF-8, and the Content-Type field then says so.

            A ZIM file has paths and media types, but no requests, header fields, statuses or URLs. Each content becomes a response with status 200, and each \
            redirect one with status 302, below the --base-url. Its title, description, creator, language, date, main page and icon become those of the \
            archive. Its search indexes are left out.

            A folder is one that wget --mirror or HTTrack made, whose folders are hosts. It has no URLs, fields or statuses: URLs are guessed from names, \
            and what HTTrack noted of them; each file becomes a response with status 200.

            If a file is damaged, the records before and after the damaged place are imported; the place is reported, and the exit status is 1. \
            With --strict nothing is written then.

            A long import commits several times. If it is ended, even by a lost power supply, what was committed is in the archive, and the same command goes on behind \
            it: it reads the files again, compares them with the archive, and adds what is missing. Not so with --strict, from standard input, for \
            folders, and if it replaces an archive, which stays until the end.

            With --exact the archive also has every record of WARC files, and content as it was received, from which webarc export --exact writes the file \
            again, byte for byte.

            EXAMPLES:
              webarc import crawl.warc.gz -o crawl.webarc
              webarc import crawl-*.warc.gz -o crawl.webarc
              webarc import collection.wacz -o collection.webarc
              webarc import session.har -o session.webarc
              webarc import wiki.zim -o wiki.webarc
              webarc import mirror/ -o mirror.webarc --scheme http
              zcat crawl.warc.gz | webarc import - -o crawl.webarc
              webarc import today.warc.gz -o crawl.webarc --append

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .busy, .interrupted]))
            """)

    @Argument(help: "The files or folders to import; - for standard input.", completion: .file())
    var sources: [String]

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "The archive to write. An existing archive is replaced, unless --append is given.", valueName: "file"),
        completion: .file(extensions: ["webarc"]))
    var output: String

    @Option(
        help: ArgumentHelp(
            "The scheme of URLs of a mirrored folder, which does not tell it: https or http.", valueName: "scheme"),
        completion: .list(["https", "http"]))
    var scheme = "https"

    @Option(
        help: ArgumentHelp(
            "The URL for the root of ZIM files, which have paths alone: one of http or https that ends with a slash.",
            valueName: "url"))
    var baseURL = "https://zim.invalid/"

    @Flag(help: "Append to the archive.")
    var append = false

    @Flag(help: "Keep all that another WARC file needs to be the same, byte for byte.")
    var exact = false

    @Flag(help: "Write nothing if a file is damaged.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "The size of records after which a long import commits before its end; 0 for one commit.",
            valueName: "size"))
    var commitEvery = SizeArgument(bytes: 4 << 30)

    @OptionGroup var compression: CompressionOptions
    @OptionGroup var threads: ThreadsOption
    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func validate() throws {
        guard !output.isEmpty, output != "-" else {
            throw ValidationError("--output takes a file name, not '\(output)'")
        }
        guard ["https", "http"].contains(scheme) else {
            throw ValidationError("--scheme takes https or http, not '\(scheme)'")
        }
    }

    func run() throws {
        let target = FilePath(output)
        var options = ArchiveImporter.Options()
        (options.appends, options.keepsOriginals, options.isStrict) = (append, exact, strict)
        options.level = compression.level.value
        options.threads = threads.count
        options.commitInterval = UInt64(commitEvery.bytes)
        options.usesDictionaries = !compression.noDictionary
        (options.assumedScheme, options.baseURL) = (scheme, baseURL)
        let importer = ArchiveImporter(into: target, options: options)
        let summary = try progress.showing("Importing") { line in
            try Interruption.guarding(target) {
                try importer.run(sources.map { FilePath($0) }) { line?.update($0) }
            }
        }
        for error in summary.damage { Diagnostics.warn(Diagnostics.text(of: error, withAdvice: false)) }
        if summary.damageCount > summary.damage.count {
            let rest = SizeFormat.count(summary.damageCount - summary.damage.count, "more fault")
            Diagnostics.warn("\(target): \(rest) of the sources")
        }
        warn(summary, target)
        try report(summary, target)
        if !summary.damage.isEmpty { throw ExitCode(ExitStatus.damaged.rawValue) }
    }

    /// Warns of parts that are missing in the archive, or are guesses.
    private func warn(_ summary: ArchiveImporter.Summary, _ target: FilePath) {
        func warn(_ count: Int, _ text: String) {
            if count > 0 { Diagnostics.warn("\(target): \(text)") }
        }
        warn(
            summary.unresolvedRevisits,
            "\(SizeFormat.count(summary.unresolvedRevisits, "revisit")) without the body to which it refers; import the other files of the crawl as well"
        )
        warn(
            summary.signedSources,
            "the signatures of \(SizeFormat.count(summary.signedSources, "file")) were neither checked nor kept")
        warn(
            summary.missingBodies,
            "\(SizeFormat.count(summary.missingBodies, "response")) without a body, for the HAR file lacks it; save it with content"
        )
        warn(
            summary.guessedURLs,
            "the URLs of \(SizeFormat.count(summary.guessedURLs, "file")) are guesses from their names; a WARC file, such as that of wget --warc-file, has them"
        )
        warn(
            summary.derivedResponses,
            "the header fields and statuses of \(SizeFormat.count(summary.derivedResponses, "response")) are derived, for ZIM files have none"
        )
        warn(
            summary.skippedFiles,
            "\(SizeFormat.count(summary.skippedFiles, "symbolic link or special file", "symbolic links and special files")) left out"
        )
    }

    private func report(_ summary: ArchiveImporter.Summary, _ target: FilePath) throws {
        let length = try FileByteSource(path: target).length
        guard json.isOn else {
            let pages = summary.pages > 0 ? ", \(SizeFormat.count(summary.pages, "page"))" : ""
            progress.summarise(
                "\(target): \(SizeFormat.count(summary.responses, "response")), \(SizeFormat.count(summary.revisits, "revisit"))\(pages), \(SizeFormat.count(summary.otherRecords, "other record")); \(SizeFormat.bytes(length))"
            )
            return
        }
        try StandardOutput.shared.json([
            "file": .string(output), "records": .number(summary.records), "responses": .number(summary.responses),
            "revisits": .number(summary.revisits), "unresolvedRevisits": .number(summary.unresolvedRevisits),
            "unresolvedURLs": .array(summary.unresolvedURLs.map { .string($0) }),
            "otherRecords": .number(summary.otherRecords), "failedLoads": .number(summary.failedLoads),
            "missingBodies": .number(summary.missingBodies), "guessedURLs": .number(summary.guessedURLs),
            "derivedResponses": .number(summary.derivedResponses), "skippedFiles": .number(summary.skippedFiles),
            "signedSources": .number(summary.signedSources),
            "pages": .number(summary.pages), "damage": .number(summary.damageCount),
            "length": .number(length),
        ])
    }
}
