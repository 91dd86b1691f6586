// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import SystemPackage
package import WebArchive

/// The option for the sequence record, with revoked keys.
package struct SequenceRecordOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The file that records the highest sequence of each series and the revoked keys, to reject rollback; none disables it. (default: \
            sequences in the state folder)
            """, valueName: "file"),
        completion: .file())
    package var sequences: String?

    package init() {}

    /// Returns the record; nil for none.
    ///
    /// - Parameter state: the folder of the record, unless the option names a different file.
    package func record(in state: FilePath = StateFolder.standard) throws(ArchiveError) -> SequenceRecord? {
        if let sequences { return sequences == "none" ? nil : SequenceRecord(path: sequences) }
        do throws(ArchiveError) {
            try PrivateFile.makeFolder(state)
        } catch {
            throw ArchiveError(
                error.code,
                "cannot create the state folder for the sequence record; give another file with --sequences, or none",
                path: state.string, cause: error.cause)
        }
        return SequenceRecord(path: state.appending(Self.name))
    }

    /// Returns the record of this user's kiosk beside that of ``record(in:)``; nil if there is none, and if the option names a file.
    package func recordOfKiosk(in state: FilePath = StateFolder.standard) -> SequenceRecord? {
        let path = state.appending("kiosk").appending(Self.name)
        return sequences == nil && FileStatus(of: path) != nil ? SequenceRecord(path: path) : nil
    }

    private static let name = "sequences"
}
