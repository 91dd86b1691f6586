// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension ParsableCommand {
    /// Does what the command line says, as the whole work of a program of which this is the root command.
    package static func runAsProgram() {
        // A write beyond the limit to the length of files fails then, as one to a full disk does.
        signal(SIGXFSZ, SIG_IGN)
        do {
            try AddressSpace.check()
            try checkHelpTopic()
            var command = try parseAsRoot()
            try command.run()
            try StandardOutput.shared.flush()
        } catch {
            Diagnostics.exit(with: error, of: Self.self)
        }
    }

    /// Refuses `help` for a command that is not there, for which ArgumentParser shows the help of the command above.
    private static func checkHelpTopic() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.first == "help" else { return }
        var subcommands = configuration.subcommands
        var path: [String] = []
        for name in arguments.dropFirst() where !name.hasPrefix("-") && name != "help" {
            path.append(name)
            let command = subcommands.first { $0._commandName == name || $0.configuration.aliases.contains(name) }
            guard let command else { throw ValidationError("there is no command '\(path.joined(separator: " "))'") }
            subcommands = command.configuration.subcommands
        }
    }
}
