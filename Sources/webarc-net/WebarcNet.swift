// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebarcCommandLine

@main
struct WebarcNet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webarc-net",
        abstract: "Run the webarc commands that access the network.",
        discussion: """
            webarc fetch and webarc get start this program. webarc looks for it beside itself and in PATH. No other command needs it, nor \
            the libraries that it uses.

            \(ExitStatus.explanation(of: ExitStatus.allCases))
            """,
        version: WebarcVersion.text,
        subcommands: [FetchCommand.self, GetCommand.self])

    static func main() { runAsProgram() }
}
