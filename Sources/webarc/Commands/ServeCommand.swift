// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebarcCommandLine

struct ServeCommand: ParsableCommand {
    static let configuration = ServeArguments.command

    @OptionGroup var arguments: ServeArguments

    func run() throws { try CompanionProgram.server.takeOver() }
}
