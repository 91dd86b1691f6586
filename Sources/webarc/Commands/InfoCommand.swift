// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebarcCommandLine

struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Describe an archive and its use of space.",
        discussion: """
            Shows the metadata, the use of space, the savings from deduplication and compression, and the bodies by media \
            type and by directory. The column "bytes" counts a body once for each use. The column "stored" counts each body's compressed size once. The savings from \
            dictionaries are estimated from a sample of the blocks.

            EXAMPLES:
              webarc info site.webarc
              webarc info site.webarc --depth 2 --all
              webarc info site.webarc --json | jq .saved

            \(ExitStatus.explanation(of: ExitStatus.reading))
            """)

    @OptionGroup var archive: ArchiveArgument

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of directory levels to list; 0 for hosts only.", valueName: "levels"))
    var depth = 1

    @Flag(help: "Show all rows of the tables instead of the 20 largest.")
    var all = false

    @OptionGroup var json: JSONOption
    @OptionGroup var progress: ProgressOptions

    private static let rowLimit = 20

    func validate() throws {
        guard (0...100).contains(depth) else {
            throw ValidationError("--depth takes a number from 0 to 100, not '\(depth)'")
        }
    }

    func run() throws {
        do {
            let reader = try archive.open()
            let statistics = try progress.showing("Reading") { line in
                try ArchiveStatistics(reader, depth: depth) { line?.update($0) }
            }
            let report = InfoReport(
                file: archive.file, reader: reader, statistics: statistics,
                rowLimit: all ? .max : Self.rowLimit)
            if json.isOn { try StandardOutput.shared.json(report.json) } else { try report.print() }
        } catch let error as ArchiveError {
            throw error.at(path: archive.file)
        }
    }
}
