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
        abstract: "Write an archive as a WARC or WACZ file.",
        discussion: """
            Writes a WARC file of version 1.1, which other web archivers read: a record for each response and for each request that is more than a \
            plain GET. A body that was written before is not written again; a revisit record refers to it. The same archive gives the same bytes. \
            A name that ends in .gz gives a compressed file, in which each record is a gzip member.

            A name that ends in .wacz gives a WACZ file of version 1.1, with such a compressed file, its index, and the archive's list of pages; if it \
            lists none, the list has the HTML documents of the archive.

            With --exact, webarc writes the records of the files from which the archive was imported with --exact, byte for byte.

            For a folder of files, use webarc unpack.

            EXAMPLES:
              webarc export site.webarc -o site.warc.gz
              webarc export site.webarc -o site.wacz
              webarc export crawl.webarc -o crawl.warc --exact

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .interrupted]))
            """)

    @OptionGroup var archive: ArchiveArgument
    @OptionGroup var trust: TrustOptions

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The file to write; - for standard output.", valueName: "file"), completion: .file())
    var output: String

    @Flag(help: "Write the records as they were imported.")
    var exact = false

    @OptionGroup var progress: ProgressOptions

    private var isPackage: Bool { output.hasSuffix(".wacz") }

    func validate() throws {
        guard !output.isEmpty else { throw ValidationError("--output takes a file name, not ''") }
        guard !exact || !isPackage else {
            throw ValidationError(
                "--exact writes WARC files, not '\(output)'; use a name that ends in .warc or .warc.gz")
        }
    }

    func run() throws {
        let reader = try ArchiveReader(warningAboutTornTail: archive.path, trust: trust.trust())
        guard output != "-" else {
            _ = try write(reader) { bytes throws(ArchiveError) in try StandardOutput.shared.write(bytes) }
            return
        }
        let target = FilePath(output)
        let summary = try Interruption.guarding(target) {
            var summary = ""
            try OutputFile.write(
                isPackage ? "the WACZ file" : "the WARC file", to: target,
                madeFrom: SourceRights(of: [StoredArchive(reader).source])
            ) { sink throws(ArchiveError) in
                summary = try write(reader) { bytes throws(ArchiveError) in try sink(Array(bytes)) }
            }
            return summary
        }
        progress.summarise("\(target): \(summary)")
    }

    /// Writes the file, and returns its counts.
    private func write(
        _ reader: ArchiveReader, _ sink: @escaping (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> String {
        if isPackage {
            let summary = try WACZExporter(reader).write(sink)
            return "\(SizeFormat.count(summary.records, "record")), \(SizeFormat.count(summary.pages, "page"))"
        }
        var exporter = WARCExporter(reader)
        exporter.restoresOriginals = exact
        exporter.isCompressed = output.hasSuffix(".gz")
        return SizeFormat.count(try exporter.write(sink), "record")
    }
}
