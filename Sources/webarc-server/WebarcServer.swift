// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebarcCommandLine

@main
struct WebarcServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webarc-server",
        abstract: "Does the commands of webarc that serve over HTTP, and those that load updates.",
        discussion: """
            webarc serve, kiosk, ca and update start this program, which lies beside webarc or in PATH. All else in webarc works without it.

            \(ExitStatus.explanation(of: ExitStatus.allCases))
            """,
        version: WebarcVersion.text,
        subcommands: [ServeCommand.self, KioskCommand.self, AuthorityCommand.self, UpdateCommand.self])

    static func main() { runAsProgram() }
}
