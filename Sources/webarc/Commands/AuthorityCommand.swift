// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebarcCommandLine

struct AuthorityCommand: ParsableCommand {
    static let configuration = AuthorityArguments.command([Create.self, Show.self])

    struct Create: ParsableCommand {
        static let configuration = CreateAuthorityArguments.command

        @OptionGroup var arguments: CreateAuthorityArguments

        func run() throws { try CompanionProgram.server.takeOver() }
    }

    struct Show: ParsableCommand {
        static let configuration = ShowAuthorityArguments.command

        @OptionGroup var arguments: ShowAuthorityArguments

        func run() throws { try CompanionProgram.server.takeOver() }
    }
}
