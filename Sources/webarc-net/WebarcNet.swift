// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebarcCommandLine

@main
struct WebarcNet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webarc-net",
        abstract: "Does the commands of webarc that load from the network.",
        discussion: """
            webarc fetch and webarc get start this program, which lies beside webarc or in PATH. All else in webarc works without it, and without the \
            libraries that it needs.

            \(ExitStatus.explanation(of: ExitStatus.allCases))
            """,
        version: WebarcVersion.text,
        subcommands: [FetchCommand.self, GetCommand.self])

    static func main() { runAsProgram() }
}
