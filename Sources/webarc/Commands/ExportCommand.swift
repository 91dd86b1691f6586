// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchiveInterchange
import WebArchivePresentation
import WebarcCommandLine

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write an archive as a WARC, WACZ or HAR file.",
        discussion: """
            Writes a WARC file of version 1.1, which other web archivers read: a record for each response and for each request that is more than a \
            plain GET. A body that was written before is not written again; a revisit record refers to it. The same archive gives the same bytes. \
            A name that ends in .gz gives a compressed file, in which each record is a gzip member.

            A name that ends in .wacz gives a WACZ file of version 1.1, with such a compressed file, its index, and the archive's list of pages; if it \
            lists none, the list has the HTML documents of the archive. With --text it has their text as well, in which readers search.

            A name that ends in .har gives a HAR file of version 1.2, which the developer tools of browsers open: an entry for each response and each \
            failed load, with its body.

            With --exact, webarc writes the records of the files from which the archive was imported with --exact, byte for byte.

            The name of a folder, or one that ends with a slash, gives a folder of files, as webarc unpack does, which has more options.

            EXAMPLES:
              webarc export site.webarc -o site.warc.gz
              webarc export site.webarc -o site.wacz
              webarc export site.webarc -o site.har
              webarc export crawl.webarc -o crawl.warc --exact
              webarc export site.webarc -o site/

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .interrupted]))
            """)

    @OptionGroup var archive: ArchiveArgument
    @OptionGroup var trust: TrustOptions

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The file or folder to write; - for standard output.", valueName: "file"),
        completion: .file())
    var output: String

    @Option(
        help: ArgumentHelp(
            "The format: warc, wacz, har or folder; by default that of the name, otherwise warc.", valueName: "format")
    )
    var format: Format?

    @Flag(help: "Write the records as they were imported.")
    var exact = false

    @Flag(help: "Add the text of HTML documents to the list of pages of a WACZ file.")
    var text = false

    @OptionGroup var progress: ProgressOptions

    /// The format of the output.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case warc, wacz, har, folder
    }

    private var kind: Format {
        if let format { return format }
        if output.hasSuffix("/") || output != "-" && FileStatus(of: FilePath(output))?.kind == .folder {
            return .folder
        }
        return [.wacz, .har].first { output.asciiLowercased.hasSuffix(".\($0.rawValue)") } ?? .warc
    }

    func validate() throws {
        guard !output.isEmpty else { throw ValidationError("--output takes the name of a file or folder, not ''") }
        guard kind != .folder || output != "-" else {
            throw ValidationError("--output takes the name of a folder with --format folder, not '-'")
        }
        guard !exact || kind == .warc else {
            throw ValidationError(
                "--exact writes WARC files, not '\(output)'; use a name that ends in .warc or .warc.gz")
        }
        guard !text || kind == .wacz else {
            throw ValidationError("--text is for WACZ files, not '\(output)'; use a name that ends in .wacz")
        }
    }

    func run() throws {
        guard kind != .folder else { return try unpack() }
        let reader = try ArchiveReader(warningAboutTornTail: archive.path, trust: trust.trust())
        guard output != "-" else {
            _ = try write(reader) { bytes throws(ArchiveError) in try StandardOutput.shared.write(bytes) }
            return
        }
        let target = FilePath(output)
        let summary = try Interruption.guarding(target) {
            var summary = ""
            try OutputFile.write(
                "the \(kind.rawValue.uppercased()) file", to: target,
                madeFrom: SourceRights(of: [StoredArchive(reader).source])
            ) { sink throws(ArchiveError) in
                summary = try write(reader) { bytes throws(ArchiveError) in try sink(Array(bytes)) }
            }
            return summary
        }
        progress.summarise("\(target): \(summary)")
    }

    private func unpack() throws {
        var command = try UnpackCommand.parse(["-C", output, archive.file])
        (command.trust, command.progress) = (trust, progress)
        try command.run()
    }

    /// Writes the file, and returns its counts.
    private func write(
        _ reader: ArchiveReader, _ sink: @escaping (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> String {
        switch kind {
        case .warc, .folder:
            var exporter = WARCExporter(reader)
            exporter.restoresOriginals = exact
            exporter.isCompressed = output.hasSuffix(".gz")
            return SizeFormat.count(try exporter.write(sink), "record")
        case .wacz:
            var exporter = WACZExporter(reader)
            exporter.addsText = text
            let summary = try exporter.write(sink)
            return "\(SizeFormat.count(summary.records, "record")), \(SizeFormat.count(summary.pages, "page"))"
        case .har:
            var exporter = HARExporter(reader)
            exporter.creatorVersion = WebarcVersion.text
            return SizeFormat.count(try exporter.write(sink), "entry", "entries")
        }
    }
}
