// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import SystemPackage
package import WebArchive

/// The option for the record of signed editions and of revoked keys.
package struct SequenceRecordOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The record of the newest signed editions that were seen, so that no old one can be put back, and of revoked keys; none for no record. (default: \
            sequences in the state folder)
            """, valueName: "file"),
        completion: .file())
    package var sequences: String?

    package init() {}

    /// The record; nil for none.
    ///
    /// - Parameter state: the folder of the record, unless the option names another file.
    package func record(in state: FilePath = StateFolder.standard) throws(ArchiveError) -> SequenceRecord? {
        if let sequences { return sequences == "none" ? nil : SequenceRecord(path: sequences) }
        try PrivateFile.makeFolder(state)
        return SequenceRecord(path: state.appending("sequences"))
    }
}
