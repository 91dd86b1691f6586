// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// A compactor that merges the commits of an archive into one: all captures stay, and data that no entry can reach any more
/// are removed.
///
/// Blocks are copied as stored, each after a check of its checksum; digests are not computed. The new archive is written beside its name
/// and renamed, under the writer's lock, so a run that ends early leaves the archive unchanged. Specification sections
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

    /// Creates a compactor, which works in place unless a target is given. It reads nothing yet.
    ///
    /// - Parameters:
    ///   - archive: the archive to compact.
    ///   - target: the file for the result; nil, the default, for the archive itself. A copy to a different file omits damaged parts.
    public init(_ archive: FilePath, into target: FilePath? = nil) {
        self.archive = archive
        self.target = target ?? archive
    }

    /// Compacts the archive. An archive of one commit without a torn tail is not changed in place, unless
    /// entries may be dropped.
    ///
    /// Bodies that neither a kept entry nor the metadata refers to go with the entries, so that the file becomes
    /// shorter. A block that several bodies share is copied unchanged if at least half of it is still used; otherwise
    /// its remaining bodies are compressed again. A dictionary stays whole, so that parts of dropped bodies can remain in it: see ``ArchiveExtractor``
    /// for a copy without them. The disk needs room for the new file beside the old one.
    ///
    /// - Parameters:
    ///   - isKept: a function that returns whether an entry stays, called once for each, in the order of the keys; nil keeps all.
    ///   - progress: a function that is called now and then with the bytes of blocks and the entries that were copied.
    /// - Returns: the counts of both files, and the damage that was left out.
    /// - Throws: errors of `isKept`, `damaged` if the archive is damaged, `locked` if another writer has locked it,
    ///   `alreadyExists` if the target is a file that is not an archive, `changed` if another program replaced a file
    ///   meanwhile, and errors of opening an archive. With the archive's path.
    @discardableResult
    public func run(
        keeping isKept: ((ArchiveEntry) throws(ArchiveError) -> Bool)? = nil,
        progress: (@Sendable (WorkProgress) -> Void)? = nil
    ) throws(ArchiveError) -> Summary {
        do throws(ArchiveError) {
            // Refuses a file that is not an archive before anything is written beside it.
            return try compact(StoredArchive(ArchiveReader(path: archive)), isKept, progress)
        } catch {
            throw error.at(path: archive.string)
        }
    }

    /// Compacts the archive.
    ///
    /// - Parameter before: the archive as it was opened before the writer's lock is taken.
    func compact(
        _ before: StoredArchive, _ isKept: ((ArchiveEntry) throws(ArchiveError) -> Bool)? = nil,
        _ progress: (@Sendable (WorkProgress) -> Void)? = nil
    ) throws(ArchiveError) -> Summary {
        let exponent = before.blockExponent
        let builder = try CommitBuilder(
            creating: target, options: ArchiveWriter.Options(blockExponent: exponent),
            madeFrom: SourceRights(of: [before.source]))
        defer { builder.cancel() }
        // Opened under the lock: in place, no other writer appends from here on. The rights are those of the first opening.
        let reader = try ArchiveReader(source: ArchiveFile.open(archive, again: before.source))
        // By any of its names.
        let isInPlace = reader.fileNumber != nil && reader.fileNumber == builder.former
        // Otherwise the content of one file would get the permissions of another.
        guard isInPlace || archive != target else { throw WriterTarget.replaced(archive) }
        let stored = StoredArchive(reader)
        // Another program may have written over the file before the lock was taken.
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
                throw .damaged("\(error.message); compact into another file to omit it", offset: error.offset)
            }
            summary.damage.append(error)
        }
        let metadata = try reader.newestMetadata()
        let selection = try isKept.mapTyped { isKept throws(ArchiveError) in
            try CopySelection(
                reader.limitedToOnePass(), metadata: metadata, keepsOtherRecords: false, keeping: isKept)
        }
        let copy = try CopiedArchive(
            stored, selection, metadata: metadata, into: builder,
            dictionaries: CopiedDictionaries(builder, of: [stored]),
            progress: CopyingProgress([stored], report: progress),
            rules: BodyCopier.Rules(
                splitting: selection == nil ? .never : .belowHalf, leavesOutDamaged: !isInPlace,
                keepsDictionaries: true, provesDecoding: true))
        if !copy.hasAllRecords { try builder.setMetadata(MetadataName.records, to: MetadataName.someRecords) }
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
        /// The number of commits before compacting; afterwards there is one.
        public var commits = 0
        /// The number of entries after compacting.
        public var entries = 0
        /// The number of entries that `isKept` dropped; 0 if it kept all.
        public var droppedEntries = 0
        /// The reasons why entries, metadata and the last commit cannot be read, and so are not in the new archive,
        /// with their places in the old one.
        ///
        /// Empty after compacting in place, which throws instead.
        public var damage: [ArchiveError] = []
        /// The number of bodies after compacting, without those of dictionaries.
        public var bodies = 0
        /// The length of the file before compacting, in bytes.
        public var lengthBefore: UInt64 = 0
        /// The length of the file after compacting, in bytes.
        public var lengthAfter: UInt64 = 0

        /// Creates an empty summary.
        public init() {}
    }
}
