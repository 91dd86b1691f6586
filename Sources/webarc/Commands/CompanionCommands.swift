// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebarcCommandLine

// The commands of other programs: this one parses the arguments, so that help and errors are the same, and starts the program.

struct ServeCommand: ParsableCommand {
    static let configuration = ServeArguments.command

    @OptionGroup var arguments: ServeArguments

    func run() throws { try CompanionProgram.server.takeOver() }
}

struct KioskCommand: ParsableCommand {
    static let configuration = KioskArguments.command

    @OptionGroup var arguments: KioskArguments

    func run() throws { try CompanionProgram.server.takeOver() }
}

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

struct RecordCommand: ParsableCommand {
    static let configuration = RecordArguments.command

    @OptionGroup var arguments: RecordArguments

    func run() throws { try CompanionProgram.server.takeOver() }
}

struct CrawlCommand: ParsableCommand {
    static let configuration = CrawlArguments.command

    @OptionGroup var arguments: CrawlArguments

    func run() throws { try CompanionProgram.server.takeOver() }
}

struct UpdateCommand: ParsableCommand {
    static let configuration = UpdateArguments.command

    @OptionGroup var arguments: UpdateArguments

    func run() throws { try CompanionProgram.server.takeOver() }
}

struct ProveCommand: ParsableCommand {
    static let configuration = ProveArguments.command

    @OptionGroup var arguments: ProveArguments

    func run() throws { try CompanionProgram.server.takeOver() }
}

struct FetchCommand: ParsableCommand {
    static let configuration = FetchArguments.command

    @OptionGroup var arguments: FetchArguments

    func run() throws { try CompanionProgram.network.takeOver() }
}

struct GetCommand: ParsableCommand {
    static let configuration = GetArguments.command

    @OptionGroup var arguments: GetArguments

    func run() throws { try CompanionProgram.network.takeOver() }
}
