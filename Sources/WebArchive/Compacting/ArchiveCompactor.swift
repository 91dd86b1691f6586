// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// A compactor that folds the commits of an archive into one: all captures stay, and what no entry can reach any more
/// goes.
///
/// Blocks are copied as they are stored, each after a look at its checksum; digests are not computed. The new archive is written beside its name
/// and renamed, under the writer's lock, so a run that ends early leaves the archive as it was. Specification sections
/// 5 and 9.
///
/// ```swift
/// let summary = try ArchiveCompactor("notes.webarc").run()
/// print(summary.commits, summary.lengthBefore, summary.lengthAfter)
/// ```
public struct ArchiveCompactor: Sendable {
    /// The archive to compact.
    public let archive: FilePath
    /// The file that the result replaces; by default the archive itself.
    public let target: FilePath

    /// Creates a compactor, which works in place unless a target is given. Reads nothing yet.
    ///
    /// - Parameters:
    ///   - archive: the archive to compact.
    ///   - target: nil, the default, for the archive itself. Into another file, what is damaged is left out.
    public init(_ archive: FilePath, into target: FilePath? = nil) {
        self.archive = archive
        self.target = target ?? archive
    }

    /// Compacts. An archive of one commit without a torn tail that is to be compacted in place is left alone, unless
    /// entries may have to go.
    ///
    /// Bodies that neither a kept entry nor the metadata refers to go with the entries, so that the file becomes
    /// shorter. A block that several bodies share is copied as it is if at least half of it is still used; otherwise
    /// what is left in it is compressed again. Needs room on the disk for the new file beside the old one.
    ///
    /// - Parameters:
    ///   - isKept: whether an entry stays, asked once for each, in the order of the keys; nil: all stay.
    ///   - progress: a function that is called now and then with the bytes of blocks and the entries that were copied.
    /// - Returns: the counts of both files, and the damage that was left out.
    /// - Throws: errors of `isKept`, `damaged` where the archive is, `locked` if another writer is at work,
    ///   `alreadyExists` if the target is a file that is not an archive, `changed` if another program replaced a file
    ///   meanwhile, and errors of opening an archive. With the archive's path.
    @discardableResult
    public func run(
        keeping isKept: ((ArchiveEntry) throws(ArchiveError) -> Bool)? = nil,
        progress: (@Sendable (WorkProgress) -> Void)? = nil
    ) throws(ArchiveError) -> Summary {
        do throws(ArchiveError) {
            return try compact(isKept, progress)
        } catch {
            throw error.at(path: archive.string)
        }
    }

    private func compact(
        _ isKept: ((ArchiveEntry) throws(ArchiveError) -> Bool)?, _ progress: (@Sendable (WorkProgress) -> Void)?
    ) throws(ArchiveError) -> Summary {
        // Refuses what is not an archive before anything is written beside it.
        let before = StoredArchive(try ArchiveReader(path: archive))
        let exponent = before.blockExponent
        let builder = try CommitBuilder(
            creating: target, options: ArchiveWriter.Options(blockExponent: exponent),
            madeFrom: SourceRights(of: [before.source]))
        defer { builder.cancel() }
        // Opened under the lock: in place, nobody appends from here on.
        let reader = try ArchiveReader(path: archive)
        // By any of its names.
        let isInPlace = reader.fileNumber != nil && reader.fileNumber == builder.former
        // Else the content of one file would come under the rights of another.
        guard isInPlace || archive != target else { throw WriterTarget.replaced(archive) }
        let stored = StoredArchive(reader)
        // Another archive may have come under the name before the lock was there.
        guard stored.blockExponent == exponent else { throw WriterTarget.replaced(archive) }
        var summary = Summary()
        (summary.commits, summary.entries, summary.lengthBefore) = (
            reader.commitCount, reader.entryCount, reader.fileLength
        )
        if reader.commitCount == 1, reader.tornTail == 0, isInPlace, isKept == nil {
            (summary.bodies, summary.lengthAfter) = (
                max(0, stored.bodyCount - reader.index.rowCount(.dictionary)), reader.fileLength
            )
            return summary
        }
        if let error = stored.lastCommitDamage {
            // It may be mended yet; without it, an archive in the old one's place would make its loss final.
            guard !isInPlace else {
                throw .damaged("\(error.message); compact into another file to leave it out", offset: error.offset)
            }
            summary.damage.append(error)
        }
        let metadata = try reader.newestMetadata()
        let selection = try isKept.mapTyped { isKept throws(ArchiveError) in
            try CopySelection(reader.limitedToOnePass(), metadata: metadata, keeping: isKept)
        }
        let copy = try CopiedArchive(
            stored, selection, metadata: metadata, into: builder,
            dictionaries: CopiedDictionaries(builder, of: [stored]),
            progress: CopyingProgress([stored], report: progress),
            rules: BodyCopier.Rules(
                splitting: selection == nil ? .never : .belowHalf, leavesOutDamaged: !isInPlace, provesDecoding: true))
        try builder.commit()
        summary.bodies = copy.bodies.count
        summary.entries = copy.entryCount
        if let selection { summary.droppedEntries = reader.entryCount - selection.entryCount }
        summary.damage += copy.damage
        summary.lengthAfter = try FileByteSource(path: target).length
        return summary
    }
}

extension ArchiveCompactor {
    /// The result of compacting an archive.
    public struct Summary: Sendable {
        /// The number of commits before; afterwards there is one.
        public var commits = 0
        /// The number of entries afterwards.
        public var entries = 0
        /// The number of entries that were not to be kept; 0 if all were.
        public var droppedEntries = 0
        /// The reasons why entries, metadata and the last commit cannot be read, and so are not in the new archive,
        /// with their places in the old one.
        ///
        /// Empty after compacting in place, which throws instead.
        public var damage: [ArchiveError] = []
        /// The number of bodies afterwards, without those of dictionaries.
        public var bodies = 0
        /// The length of the file before, in bytes.
        public var lengthBefore: UInt64 = 0
        /// The length of the file afterwards, in bytes.
        public var lengthAfter: UInt64 = 0

        /// Creates an empty summary.
        public init() {}
    }
}
