// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options for a command that signs its archive.
struct SignOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Sign the archive with the secret key in this file, or - for standard input. May be given several times; see webarc key.",
            valueName: "file"),
        completion: .file())
    var sign: [String] = []

    @OptionGroup(title: "SIGNATURE") var statement: StatementOptions

    func validate() throws {
        guard !sign.isEmpty || statement.isEmpty else {
            throw ValidationError("--series, --sequence and --endorsement need a signing key; give one with --sign")
        }
    }

    /// Reads the files of keys and endorsements; nil without a key.
    func keys() throws -> SigningKeys? { sign.isEmpty ? nil : try statement.keys(sign) }
}
