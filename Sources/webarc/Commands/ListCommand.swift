// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchivePresentation
import WebarcCommandLine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List the entries of an archive.",
        discussion: """
            Prints one entry per line, sorted by canonical URL, newest capture first. Without a file, lists the only archive in the current \
            folder.

            EXAMPLES:
              webarc ls site.webarc
              webarc ls site.webarc --url https://example.org/docs/ --long
              webarc ls site.webarc --json | jq -r 'select(.status == 404) | .url'

            WITH --long:
              The kind, time, status, method, length, media type, URL, and the redirect
              target. The time is the response time, or, if unknown, the time of last
              modification. The kind is
                -  an exchange,
                a  an alias, derived from another entry or a rule,
                u  an entry for unpacking only.
                w  a response without its body, which is not in the archive.

            \(ExitStatus.explanation(of: ExitStatus.reading))
            """,
        aliases: ["list"])

    @Argument(help: "The archive.", completion: .file(extensions: ["webarc"]))
    var file: String?

    @OptionGroup var prefix: PrefixOption

    @Flag(name: [.short, .long], help: "Show times, statuses, lengths and types too.")
    var long = false

    @OptionGroup var json: JSONOption

    func validate() throws {
        if long, json.isOn {
            throw ValidationError("--long and --json exclude each other; --json includes all that --long shows")
        }
    }

    func run() throws {
        let archive = try ArchiveReader(warningAboutTornTail: FilePath(file ?? Self.onlyArchive()))
        do throws(ArchiveError) {
            try archive.limitedToOnePass().forEachEntry(prefix: prefix.text(in: archive)) {
                entry throws(ArchiveError) in
                try show(entry)
                return true
            }
        } catch {
            throw error.at(path: archive.name)
        }
    }

    private func show(_ entry: ArchiveEntry) throws(ArchiveError) {
        if json.isOn {
            try StandardOutput.shared.json(EntryDescription(entry).json)
        } else if long {
            try StandardOutput.shared.line(EntryLine(entry).text)
        } else {
            try StandardOutput.shared.line(PrintableText.escaped(entry.url))
        }
    }

    /// Returns the only archive of the folder if none is named.
    private static func onlyArchive() throws -> String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []
        let archives = names.filter(ArchiveFile.isNamedLikeArchive)
        if let only = archives.first, archives.count == 1 { return only }
        throw ValidationError(
            archives.isEmpty
                ? "the argument <file> is missing, and this folder has no .webarc file"
                : "the argument <file> is missing, and this folder has \(archives.count) .webarc files; give one")
    }
}
