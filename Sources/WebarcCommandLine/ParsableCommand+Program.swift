// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

extension ParsableCommand {
    /// Does what the command line says, as the whole work of a program of which this is the root command.
    package static func runAsProgram() {
        do {
            try AddressSpace.check()
            var command = try parseAsRoot()
            try command.run()
            try StandardOutput.shared.flush()
        } catch {
            Diagnostics.exit(with: error, of: Self.self)
        }
    }
}
