// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebArchive

/// An unknown command name, with the probable one.
///
/// ArgumentParser calls it an unexpected argument, and for `help` it shows the help of the command above.
enum CommandName {
    /// Throws `ValidationError` for an unknown command name in the position of a command.
    static func check(_ arguments: [String], in root: any ParsableCommand.Type) throws {
        let isHelp = arguments.first == "help"
        var command = root
        var path: [String] = []
        for name in isHelp ? Array(arguments.dropFirst()) : arguments {
            let subcommands = command.configuration.subcommands
            if name.hasPrefix("-") || name == "help" {
                if isHelp { continue } else { return }
            }
            guard isHelp || !subcommands.isEmpty else { return }
            path.append(name)
            guard let next = subcommands.first(where: { names(of: $0).contains(name) }) else {
                throw ValidationError(message(path, subcommands.flatMap(names)))
            }
            command = next
        }
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        [command._commandName] + command.configuration.aliases
    }

    private static func message(_ path: [String], _ known: [String]) -> String {
        let name = path.last ?? ""
        // Half of a short name may be wrong, a third of a long one.
        let limit = max(1, min(3, (name.count + 1) / 3))
        let nearest = known.map { (name: $0, distance: EditDistance.between(name, $0)) }.min {
            $0.distance < $1.distance
        }
        let text = "unknown command '\(path.joined(separator: " "))'"
        guard let nearest, nearest.distance <= limit else { return text }
        return "\(text); did you mean '\((path.dropLast() + [nearest.name]).joined(separator: " "))'?"
    }
}
