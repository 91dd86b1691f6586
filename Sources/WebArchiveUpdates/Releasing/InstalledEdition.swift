// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The present edition.
struct InstalledEdition {
    /// The statement of the newest commit that the keys signed, revoked ones included.
    let statement: ArchiveStatement
    /// The identity by which patches name the archive (patch specification section 2), in hexadecimal digits.
    let identity: String
    /// Whether unrevoked keys signed it as well.
    let isTrusted: Bool

    /// Reads it; nil if there is no archive, or the keys, including revoked ones, did not sign it. It costs a reading of the index.
    init?(_ path: FilePath, _ trust: ArchiveTrust) throws(ArchiveError) {
        guard FileStatus(of: path) != nil else { return nil }
        try self.init(ArchiveFile.open(path), trust)
    }

    /// Reads an edition of an open archive; nil if the keys, including revoked ones, did not sign it.
    init?(_ source: any ByteSource, _ trust: ArchiveTrust) throws(ArchiveError) {
        do throws(ArchiveError) {
            let reader = try ArchiveReader(source: source, trust: trust.withoutRevocations)
            guard let statement = reader.statement else { return nil }
            self.statement = statement
            identity = try PatchHeader.identity(of: StoredArchive(ArchiveReader(source: source))).hexadecimalDigits
            isTrusted =
                trust.revokedKeys.isEmpty
                || (try? ArchiveReader(source: source, trust: trust.withoutSequences))?.statement?.root
                    == statement.root
        } catch {
            // An archive that is damaged is replaced by a whole one.
            guard error.code == .io else { return nil }
            throw error
        }
    }
}
