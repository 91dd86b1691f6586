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
        abstract: "List what an archive holds.",
        discussion: """
            One URL a line, in the order of their canonical forms, the newest capture of each first. Without a file, the only archive in the current \
            folder is listed.

            EXAMPLES:
              webarc ls site.webarc
              webarc ls site.webarc --url https://example.org/docs/ --long
              webarc ls site.webarc --json | jq -r 'select(.status == 404) | .url'

            WITH --long:
              The kind, time, status, method, length, media type, URL, and where a
              redirect leads. The time is when the response came, or, where that is
              unknown, when the file was last modified. The kind is
                -  an exchange,
                a  an alias, derived from another entry or a rule,
                u  kept for unpacking only.

            \(ExitStatus.explanation(of: ExitStatus.reading))
            """,
        aliases: ["list"])

    @Argument(help: "The archive.", completion: .file(extensions: ["webarc"]))
    var file: String?

    @OptionGroup var prefix: PrefixOption

    @Flag(name: [.short, .long], help: "Show times, statuses, lengths and types as well.")
    var long = false

    @OptionGroup var json: JSONOption

    func validate() throws {
        if long, json.isOn {
            throw ValidationError("--long and --json exclude each other; --json has everything that --long shows")
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
                ? "The argument file is missing, and this folder has no .webarc file; name one"
                : "The argument file is missing, and this folder has \(archives.count) .webarc files; name one")
    }
}
