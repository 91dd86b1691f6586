// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension ParsableCommand {
    /// Runs the command line, as the whole work of a program with this root command.
    package static func runAsProgram() {
        // A write beyond the limit to the length of files fails then, as one to a full disk does.
        signal(SIGXFSZ, SIG_IGN)
        do {
            try AddressSpace.check()
            try CommandName.check(Array(CommandLine.arguments.dropFirst()), in: Self.self)
            var command = try parseAsRoot()
            try command.run()
            try StandardOutput.shared.flush()
        } catch {
            Diagnostics.exit(with: error, of: Self.self)
        }
    }
}
