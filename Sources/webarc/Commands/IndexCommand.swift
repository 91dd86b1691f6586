// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebarcCommandLine

struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Export the index of an archive for other programs.",
        discussion: """
            The output is a binary property list: a keyed archive as NSKeyedArchiver writes it, with the classes and keys of the format's specification. Bodies \
            are identified by their digests; their bytes are not included.

            EXAMPLES:
              webarc index site.webarc -o index.plist
              webarc index site.webarc | plutil -p -
              python3 -c 'import plistlib; print(plistlib.load(open("index.plist", "rb")))'

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError]))
            """)

    @OptionGroup var archive: ArchiveArgument

    @Flag(help: "Write a binary property list. This is the default, and the only form.")
    var plist = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write to this file instead of standard output; - is standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    func validate() throws {
        if output == nil || output == "-", StandardOutput.isTerminal {
            throw ValidationError("cannot write a binary property list to a terminal; give --output")
        }
    }

    func run() throws {
        let reader = try archive.open()
        do throws(ArchiveError) {
            let export = KeyedArchiveExport(reader)
            if let output, output != "-" {
                let rights = SourceRights(of: [StoredArchive(reader).source])
                try OutputFile.write("the index", to: FilePath(output), madeFrom: rights) { sink throws(ArchiveError) in
                    try export.write(to: sink)
                }
            } else {
                try export.write { chunk throws(ArchiveError) in try StandardOutput.shared.write(chunk) }
            }
        } catch {
            throw error.at(path: archive.file)
        }
    }
}
