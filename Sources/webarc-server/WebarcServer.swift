// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebarcCommandLine

@main
struct WebarcServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webarc-server",
        abstract: "Does the commands of webarc that serve over HTTP.",
        discussion: """
            webarc serve, webarc kiosk and webarc ca start this program, which lies beside webarc or in PATH. All else in webarc works without it.

            \(ExitStatus.explanation(of: ExitStatus.allCases))
            """,
        version: WebarcVersion.text,
        subcommands: [ServeCommand.self, KioskCommand.self, AuthorityCommand.self])

    static func main() { runAsProgram() }
}
