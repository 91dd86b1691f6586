// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebarcCommandLine

struct ExtractCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Write a part of an archive to another archive.",
        discussion: """
            The new archive has all captures of the matching URLs, with their bodies. A pattern is written as in .gitignore. It is compared with \
            the path of a URL, without the query; a pattern with :// is compared with the whole URL, including the query. A pattern \
            that matches a folder selects everything in it.

            Aliases are extracted with their entries. Rule files and metadata are copied. If the main page is not in the new archive, \
            webarc omits the mainPage metadata, with a warning. The new archive has no bytes of bodies that were not selected.

            A damaged entry is omitted and reported, and the exit status is 1.

            EXAMPLES:
              webarc extract site.webarc -o docs.webarc --include '/docs/**'
              webarc extract site.webarc -o small.webarc --exclude '*.mp4' --exclude /old/
              webarc extract crawl.webarc -o one.webarc --include 'https://example.org/'
              webarc extract site.webarc -o docs.webarc --url https://example.org/docs/

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .busy, .interrupted]))
            """)

    @OptionGroup var archive: ArchiveArgument
    @OptionGroup var trust: TrustOptions

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The archive to write. An existing archive is replaced.", valueName: "file"),
        completion: .file(extensions: ["webarc"]))
    var output: String

    @Option(
        help: ArgumentHelp(
            "Select only URLs that match: '*.html', '/docs/**', 'https://example.org/docs/**'. May be given several times.",
            valueName: "pattern"))
    var include: [PatternArgument] = []

    @Option(
        help: ArgumentHelp(
            "Exclude URLs that match. May be given several times; takes precedence over --include.",
            valueName: "pattern"))
    var exclude: [PatternArgument] = []

    @OptionGroup var prefix: PrefixOption
    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    func validate() throws {
        guard !output.isEmpty else { throw ValidationError("--output takes a file name, not ''") }
        for pattern in include { try pattern.check("--include") }
        for pattern in exclude { try pattern.check("--exclude") }
        guard !include.isEmpty || !exclude.isEmpty || prefix.prefix != nil else {
            throw ValidationError("no selection; give --include, --exclude or --url")
        }
    }

    func run() throws {
        let target = FilePath(output)
        let reader = try archive.open(trust: trust.trust())
        var filter = EntryFilter()
        filter.include = include.compactMap(\.pattern)
        filter.exclude = exclude.compactMap(\.pattern)
        filter.urlPrefix = try prefix.text(in: reader)
        let extractor = ArchiveExtractor(reader, into: target, filter: filter)
        let summary = try progress.showing("Extracting") { line in
            try Interruption.guarding(target) { try extractor.run { line?.update($0) } }
        }
        LeftOutDamage(damage: summary.damage, file: archive.file).tell()
        if let page = summary.droppedMainPage {
            Diagnostics.warn(
                "\(target): the main page \(PrintableText.escaped(page)) is not in the new archive; the mainPage metadata is omitted"
            )
        }
        if try reader.lastStatement() != nil {
            Diagnostics.warn("the archive was signed, but the new one is not; sign it with webarc sign")
        }
        if json.isOn {
            try StandardOutput.shared.json([
                "file": .string(output), "entries": .number(summary.entries),
                "totalEntries": .number(summary.totalEntries), "bodies": .number(summary.bodies),
                "length": .number(summary.length), "droppedMainPage": .text(summary.droppedMainPage),
                "damagedEntries": .number(summary.damage.count),
            ])
        } else {
            progress.summarise(
                "\(target): \(SizeFormat.count(summary.entries)) of \(SizeFormat.count(summary.totalEntries, "entry", "entries")) extracted, "
                    + "\(SizeFormat.bytes(summary.length)) of \(SizeFormat.bytes(reader.fileLength))")
        }
        if !summary.damage.isEmpty { throw ExitStatus.damaged.exitCode }
    }
}
