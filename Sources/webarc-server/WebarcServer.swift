// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebarcCommandLine

@main
struct WebarcServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webarc-server",
        abstract: "Run the webarc commands that serve archives, load updates, record, crawl or replay pages.",
        discussion: """
            webarc serve, kiosk, ca, update, record, crawl and prove start this program. webarc looks for it beside itself and in PATH. No other command needs it.

            \(ExitStatus.explanation(of: ExitStatus.allCases))
            """,
        version: WebarcVersion.text,
        subcommands: [
            ServeCommand.self, KioskCommand.self, AuthorityCommand.self, UpdateCommand.self, RecordCommand.self,
            CrawlCommand.self, ProveCommand.self,
        ])

    static func main() { runAsProgram() }
}
