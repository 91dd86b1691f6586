// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A signed archive, opened with the keys that have to have signed it.
struct SignedArchive {
    /// The archive, of which the reader proves each part before it returns it.
    let reader: ArchiveReader
    /// The keys: those that were given, or those that the statements of the archive name.
    let trust: ArchiveTrust

    /// Opens an archive.
    ///
    /// - Parameter trust: nil for the keys that the archive's own statements name.
    init(_ source: any ByteSource, _ trust: ArchiveTrust?) throws(ArchiveError) {
        if let trust {
            self.trust = trust
        } else {
            self.trust = ArchiveTrust(try ArchiveReader(source: source).signingKeys())
        }
        reader = try ArchiveReader(source: source, trust: self.trust)
    }
}
