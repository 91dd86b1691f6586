// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebarcCommandLine

@main
struct Webarc: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webarc",
        abstract: "Pack websites into single files, and read these files.",
        discussion: """
            A .webarc file holds web exchanges: requests, their responses or redirects, and every body once.

            EXAMPLES:
              webarc pack site -o site.webarc --base-url https://example.org/
              webarc serve site.webarc
              webarc fetch https://example.org/ -o site.webarc
              webarc ls site.webarc
              webarc cat site.webarc https://example.org/index.html
              webarc verify site.webarc
              webarc unpack site.webarc -C folder

            \(ExitStatus.explanation(of: ExitStatus.allCases))

            Completions for your shell: webarc --generate-completion-script bash (or zsh, or fish).
            """,
        version: WebarcVersion.text,
        groupedSubcommands: [
            CommandGroup(
                name: "Create",
                subcommands: [
                    PackCommand.self, FetchCommand.self, CrawlCommand.self, RecordCommand.self, CompactCommand.self,
                ]),
            CommandGroup(
                name: "Other formats", subcommands: [ImportCommand.self, ExportCommand.self]),
            CommandGroup(
                name: "Combine and split",
                subcommands: [ExtractCommand.self, MergeCommand.self, SplitCommand.self, JoinCommand.self]),
            CommandGroup(
                name: "Sign", subcommands: [SignCommand.self, KeyCommand.self]),
            CommandGroup(
                name: "Update",
                subcommands: [ReleaseCommand.self, UpdateCommand.self, DiffCommand.self, PatchCommand.self]),
            CommandGroup(
                name: "Serve", subcommands: [ServeCommand.self, KioskCommand.self, AuthorityCommand.self]),
            CommandGroup(
                name: "Extract", subcommands: [UnpackCommand.self, CatCommand.self, GetCommand.self]),
            CommandGroup(
                name: "Inspect and repair",
                subcommands: [
                    ListCommand.self, InfoCommand.self, VerifyCommand.self, HealCommand.self, WhyCommand.self,
                    ProveCommand.self, IndexCommand.self,
                ]),
        ])

    static func main() { runAsProgram() }
}
