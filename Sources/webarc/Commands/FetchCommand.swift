// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebarcCommandLine

struct FetchCommand: ParsableCommand {
    static let configuration = FetchArguments.command

    @OptionGroup var arguments: FetchArguments

    func run() throws { try CompanionProgram.network.takeOver() }
}
