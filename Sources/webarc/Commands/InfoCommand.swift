// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebarcCommandLine

struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Describe an archive, and report how its space is used.",
        discussion: """
            Shows the metadata, where the file's bytes go, what was saved by storing equal bodies once and by compression, and the bodies by media \
            type and by directory. The column "bytes" counts a body once for each use. The column "stored" counts the space that it takes in the archive, and only at its first use. The savings from \
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
        help: ArgumentHelp("The number of directory levels to list separately; 0 for hosts only.", valueName: "levels"))
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
