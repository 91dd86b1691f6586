// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePacking
import WebArchivePresentation
import WebarcCommandLine

struct UnpackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpack",
        abstract: "Write the contents of an archive to a folder, as files.",
        discussion: """
            The newest response to each URL becomes a file with the URL's path as its name. A file with a damaged body is reported and omitted; \
            the others are written. An interrupted run may leave its last file incomplete; run it again with --force. If files and \
            folders exceed --max-size, nothing is written, and the exit status is 1.

            EXAMPLES:
              webarc unpack site.webarc -C folder
              webarc unpack site.webarc -C docs --url https://example.org/docs/ --force
              webarc unpack crawl.webarc -C crawl --layout host

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .interrupted]))
            """)

    @OptionGroup var archive: ArchiveArgument
    @OptionGroup var trust: TrustOptions

    @Option(
        name: [.customShort("C"), .customLong("directory")],
        help: ArgumentHelp("The folder to write to; it is created if it does not exist.", valueName: "folder"),
        completion: .directory)
    var directory: String

    @Flag(name: [.short, .long], help: "Replace existing files.")
    var force = false

    @OptionGroup var prefix: PrefixOption

    @Option(
        help: ArgumentHelp(
            "The layout of the files: host (a folder for each host) or flat (paths only). (default: flat for one host, else host)",
            valueName: "layout"))
    var layout: Layout?

    enum Layout: String, CaseIterable, ExpressibleByArgument {
        case host, flat
        var value: ArchiveUnpacker.Options.Layout { self == .host ? .host : .flat }
    }

    @Option(
        help: ArgumentHelp(
            "The maximum total size of files and folders: 500M, 20G. If they exceed it, nothing is written. (default: 1G or 1,000 times the size of the archive, whichever is larger)",
            valueName: "size"))
    var maxSize: SizeArgument?

    @OptionGroup var threads: ThreadsOption
    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    private static let shownInTheWay = 10

    func validate() throws {
        guard !directory.isEmpty else { throw ValidationError("--directory takes a folder name, not ''") }
    }

    func run() throws {
        var options = ArchiveUnpacker.Options()
        let reader = try archive.open(trust: trust.trust())
        options.urlPrefix = try prefix.text(in: reader)
        options.layout = layout?.value
        options.overwrites = force
        options.threads = threads.count
        options.maximumBytes = maxSize.map { UInt64($0.bytes) }
        let unpacker = ArchiveUnpacker(reader, into: FilePath(directory), options: options)
        let summary = try progress.showing("Unpacking") { line in
            try Interruption.guarding { try unpacker.run { line?.update($0) } }
        }
        tell(summary.failures)
        if json.isOn {
            try StandardOutput.shared.json(report(summary))
        } else {
            progress.summarise(
                "\(directory): \(SizeFormat.count(summary.files, "file")) unpacked, \(SizeFormat.bytes(summary.bytes))")
        }
        if let worst = summary.failures.map({ ExitStatus($0.error.code) }).max() { throw worst.exitCode }
    }

    /// Reports failures; existing files are reported ten times at most: there may be as many as the archive has.
    private func tell(_ failures: [(url: String, error: ArchiveError)]) {
        var inTheWay = 0
        for failure in failures {
            if failure.error.code == .alreadyExists { inTheWay += 1 }
            if failure.error.code == .alreadyExists, inTheWay > Self.shownInTheWay { continue }
            Diagnostics.report(failure.error.at(path: archive.file), url: failure.url)
        }
        if inTheWay > Self.shownInTheWay {
            let rest = SizeFormat.count(inTheWay - Self.shownInTheWay, "more file")
            Diagnostics.report("\(directory): \(rest) already exist; replace them with webarc unpack --force")
        }
    }

    private func report(_ summary: ArchiveUnpacker.Summary) -> JSONValue {
        let failures = summary.failures.map { failure -> JSONValue in
            [
                "url": .string(failure.url), "code": .string(failure.error.code.rawValue),
                "message": .string(failure.error.message), "path": .text(failure.error.path),
                "offset": .number(failure.error.offset),
            ]
        }
        return [
            "directory": .string(directory), "files": .number(summary.files), "bytes": .number(summary.bytes),
            "failures": .array(failures),
        ]
    }
}
