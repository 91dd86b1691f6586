// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import WebArchive

/// The options for archives that must be signed.
package struct TrustOptions: ParsableArguments {
    @Option(
        name: [.customLong("require-key"), .customLong("key")],
        help: ArgumentHelp(
            """
            Accept only data signed by this public key: a file, or the line that webarc key show prints. May be given several times; one of the \
            keys is enough.
            """, valueName: "key"),
        completion: .file())
    package var requireKey: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of these keys that must have signed.", valueName: "number"))
    package var signatures = 1

    package init() {}

    package func validate() throws {
        guard signatures >= 1 else { throw ValidationError("--signatures takes at least 1, not '\(signatures)'") }
        guard signatures <= max(1, requireKey.count) else {
            throw ValidationError(
                "--signatures \(signatures) needs \(signatures) keys, not \(requireKey.count); give them with --key"
            )
        }
    }

    /// Returns the trust that the options describe; nil without keys.
    ///
    /// - Parameter sequences: the sequence record; nil by default, for none.
    package func trust(sequences: SequenceRecord? = nil) throws(ArchiveError) -> ArchiveTrust? {
        guard !requireKey.isEmpty else { return nil }
        var keys: Set<ArchivePublicKey> = []
        for text in requireKey {
            keys.insert(try KeyFile.publicKey(text))
            if KeyFile.isSecret(text) {
                Diagnostics.warn("\(text): this is a secret key, which readers must not have; give the .pub file")
            }
        }
        return ArchiveTrust(keys, threshold: signatures, sequences: sequences)
    }
}
