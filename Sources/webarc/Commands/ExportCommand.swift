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
        abstract: "Write an archive as a WARC file.",
        discussion: """
            Writes a WARC file of version 1.1, which other web archivers read: a record for each response and for each request that is more than a \
            plain GET. A body that was written before is not written again; a revisit record refers to it. The same archive gives the same bytes. \
            A name that ends in .gz gives a compressed file, in which each record is a gzip member.

            With --exact, webarc writes the records of the files from which the archive was imported with --exact, byte for byte.

            For a folder of files, use webarc unpack.

            EXAMPLES:
              webarc export site.webarc -o site.warc.gz
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

    func validate() throws {
        guard !output.isEmpty else { throw ValidationError("--output takes a file name, not ''") }
    }

    func run() throws {
        let reader = try ArchiveReader(warningAboutTornTail: archive.path, trust: trust.trust())
        var exporter = WARCExporter(reader)
        exporter.restoresOriginals = exact
        exporter.isCompressed = output.hasSuffix(".gz")
        guard output != "-" else {
            try exporter.write { bytes throws(ArchiveError) in try StandardOutput.shared.write(bytes) }
            return
        }
        let target = FilePath(output)
        let count = try Interruption.guarding(target) {
            var count = 0
            try OutputFile.write(
                "the WARC file", to: target, madeFrom: SourceRights(of: [StoredArchive(reader).source])
            ) { sink throws(ArchiveError) in
                count = try exporter.write { bytes throws(ArchiveError) in try sink(Array(bytes)) }
            }
            return count
        }
        progress.summarise("\(target): \(SizeFormat.count(count, "record"))")
    }
}
