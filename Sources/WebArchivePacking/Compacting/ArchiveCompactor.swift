// SPDX-License-Identifier: Apache-2.0

public import SystemPackage
public import WebArchive

/// Folds the commits of an archive into one: all captures stay, and what no entry can reach any more goes.
///
/// Blocks are copied as they are stored, each after a look at its checksum. The new archive is written beside its name and renamed, under the
/// writer's lock, so a run that ends early leaves the archive as it was.
public struct ArchiveCompactor: Sendable {
    public let archive: FilePath
    public let target: FilePath

    /// Compacts in place, unless a target is given.
    public init(_ archive: FilePath, into target: FilePath? = nil) {
        self.archive = archive
        self.target = target ?? archive
    }

    /// Compacts. An archive of one commit without a torn tail that is to be compacted in place is left alone.
    ///
    /// - Parameter progress: called now and then with the bytes of blocks and the entries that were copied.
    /// - Throws: `damaged` where the archive is, `locked` if another writer is at work, `alreadyExists` if the target is a file that is
    ///   no archive, and what opening an archive throws.
    public func run(
        progress: (@Sendable (PackingProgress) -> Void)? = nil
    ) throws(ArchiveError) -> CompactingSummary {
        do throws(ArchiveError) {
            return try compact(progress)
        } catch {
            throw error.at(path: archive.string)
        }
    }

    private func compact(
        _ progress: (@Sendable (PackingProgress) -> Void)?
    ) throws(ArchiveError) -> CompactingSummary {
        // Refuses what is no archive before anything is written beside it.
        let exponent = StoredArchive(try ArchiveReader(path: archive)).blockExponent
        let writer = try ArchiveWriter(creating: target, options: ArchiveWriter.Options(blockExponent: exponent))
        defer { writer.cancel() }
        // Opened under the lock: in place, nobody appends from here on.
        let reader = try ArchiveReader(path: archive)
        let stored = StoredArchive(reader)
        var summary = CompactingSummary()
        (summary.commits, summary.entries, summary.lengthBefore) = (
            reader.commitCount, reader.entryCount, reader.fileLength
        )
        if reader.commitCount == 1, reader.tornTail == 0, archive == target {
            (summary.bodies, summary.lengthAfter) = (reader.bodyCount, reader.fileLength)
            return summary
        }
        // The last commit may be mended yet; without it, a compacted archive would make its loss final.
        guard try !stored.endsInDamagedCommit else {
            throw ArchiveError(
                .damaged, "the last commit is damaged, and compacting would lose it; see webarc verify",
                offset: reader.fileLength - reader.tornTail)
        }
        var bodies = BodyCopier(stored, into: writer, progress: CopyingProgress(stored, reader, report: progress))
        try bodies.run()
        var entries = EntryCopier(reader, bodies: bodies)
        try entries.run(metadata: stored.metadataNames())
        try writer.commit()
        summary.bodies = bodies.count
        summary.lengthAfter = try FileByteSource(path: target).length
        return summary
    }
}
