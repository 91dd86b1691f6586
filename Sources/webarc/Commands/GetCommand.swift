// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebarcCommandLine

struct GetCommand: ParsableCommand {
    static let configuration = GetArguments.command

    @OptionGroup var arguments: GetArguments

    func run() throws { try CompanionProgram.network.takeOver() }
}
