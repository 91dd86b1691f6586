// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebarcCommandLine

struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Write the index of an archive in a form that other programs read.",
        discussion: """
            The property list is a keyed archive as NSKeyedArchiver writes them, with the classes and keys of the format's specification. Bodies \
            are named by their digests; their bytes are not in it.

            EXAMPLES:
              webarc index site.webarc --plist -o index.plist
              webarc index site.webarc --plist | plutil -p -
              python3 -c 'import plistlib; print(plistlib.load(open("index.plist", "rb")))'

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError]))
            """)

    @OptionGroup var archive: ArchiveArgument

    @Flag(help: "Write a binary property list. (Needed: it is the only form so far.)")
    var plist = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write to this file instead of standard output; - is standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    func validate() throws {
        guard plist else { throw ValidationError("The option --plist is missing; it is the only form so far") }
        if output == nil || output == "-", StandardOutput.isTerminal {
            throw ValidationError("a property list is binary, and standard output is a terminal; give --output")
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
