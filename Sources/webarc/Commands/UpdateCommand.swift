// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebarcCommandLine

struct UpdateCommand: ParsableCommand {
    static let configuration = UpdateArguments.command

    @OptionGroup var arguments: UpdateArguments

    func run() throws { try CompanionProgram.server.takeOver() }
}
