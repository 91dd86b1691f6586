// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebarcCommandLine

struct KioskCommand: ParsableCommand {
    static let configuration = KioskArguments.command

    @OptionGroup var arguments: KioskArguments

    func run() throws { try CompanionProgram.server.takeOver() }
}
