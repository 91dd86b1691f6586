// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The edition that is there.
struct InstalledEdition {
    let series: String
    let sequence: UInt64
    let identity: String

    /// Reads it; nil if there is no archive, or it is not one of the keys'.
    init?(_ path: FilePath, _ trust: ArchiveTrust) throws(ArchiveError) {
        guard FileStatus(of: path) != nil else { return nil }
        do throws(ArchiveError) {
            let reader = try ArchiveReader(path: path, trust: trust.withoutSequences)
            guard let statement = reader.statement else { return nil }
            (series, sequence) = (statement.series, statement.sequence)
            identity = try PatchHeader.identity(of: StoredArchive(ArchiveReader(path: path))).hexadecimal
        } catch {
            // An archive that is damaged is replaced by a whole one.
            guard error.code == .io else { return nil }
            throw error
        }
    }
}
