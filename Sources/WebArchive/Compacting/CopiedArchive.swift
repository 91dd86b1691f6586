// SPDX-License-Identifier: Apache-2.0

/// The copy of an archive, or of a part of it, in the commit that is being written.
struct CopiedArchive {
    /// The number of copied entries.
    let entryCount: Int
    /// Whether the copy has all records of the files from which the archive was imported, or was from none.
    let hasAllRecords: Bool
    /// The reasons why entries and metadata were left out; empty unless the rules allow that.
    let damage: [ArchiveError]
    /// The copied bodies.
    let bodies: BodyCopier

    /// Copies blocks and bodies, then entries and metadata.
    ///
    /// - Parameters:
    ///   - selection: nil for all entries and all bodies.
    ///   - metadata: the values that are copied.
    ///   - dictionaries: the dictionaries of all archives that are copied into the commit.
    /// - Throws: `damaged` where the archive is and the rules do not leave that out; `limitExceeded`, `io`.
    init(
        _ archive: StoredArchive, _ selection: CopySelection?, metadata: [MetadataRow], into builder: CommitBuilder,
        dictionaries: CopiedDictionaries, progress: CopyingProgress, rules: BodyCopier.Rules
    ) throws(ArchiveError) {
        var bodies = BodyCopier(
            archive, selection, into: builder, dictionaries: dictionaries, progress: progress, rules: rules)
        try bodies.run()
        var entries = EntryCopier(
            archive.reader, bodies: bodies, selection, leavesOutDamaged: rules.leavesOutDamaged)
        try entries.run(metadata: metadata)
        self.bodies = bodies
        (entryCount, damage) = (entries.count, entries.damage)
        let reader = archive.reader
        let kept = try reader.metadata()[MetadataName.records]
        let isComplete = reader.recordCount == 0 || kept == MetadataName.allRecords
        hasAllRecords = isComplete && entries.recordCount == reader.recordCount
    }
}
