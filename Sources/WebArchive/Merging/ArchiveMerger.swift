// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// A merger of several archives into one.
///
/// The new archive has all captures of all archives, each equal capture once. The newest capture of a request wins; among
/// captures of equal or unknown time, that of the later archive does, and an unknown time is older than every known one
/// (specification section 8.5). Blocks are copied as stored, after a check of their checksums, with their
/// dictionaries. A body of several archives is stored once: bodies of one digest are compared byte by byte, and
/// different ones stay different (section 5, "Equal digests"). Of each metadata value the first archive that has it
/// decides; the rule files of all archives apply, at most 16 of them (section 8.7).
///
/// ```swift
/// let archives = try [ArchiveReader(path: "site.webarc"), ArchiveReader(path: "news.webarc")]
/// let summary = try ArchiveMerger(archives, into: "all.webarc").run()
/// print(summary.entries, summary.sharedBodies)
/// ```
public struct ArchiveMerger: Sendable {
    /// The archives; among equal times, the captures of the last one win.
    public let archives: [ArchiveReader]
    /// The new archive; an existing archive of this name is replaced once the new one is complete.
    public let target: FilePath
    /// The keys and the statement for the signature of the new archive; nil, the default, for none.
    public var signing: ArchiveSigning?

    /// The maximum number of archives that are merged at once: each stays open.
    public static let archiveLimit = 256

    /// Creates a merger. It reads and writes nothing yet.
    public init(_ archives: [ArchiveReader], into target: FilePath) {
        self.archives = archives
        self.target = target
    }

    /// Writes the new archive, which gets its name when it is complete and on disk.
    ///
    /// Costs reading all blocks that are copied once, a search in each archive before for each body, and reading the
    /// bodies that have one digest and one length twice. Memory grows with the numbers of rows, not with bodies.
    ///
    /// - Parameter progress: a function that is called now and then with the bytes of blocks and the entries that were copied.
    /// - Returns: the counts.
    /// - Throws: `damaged` if one of the archives is damaged; `invalidArgument` if the target is one of them, or none is
    ///   given; `alreadyExists` if the target is a file that is not an archive; `locked` if another writer is at work;
    ///   `limitExceeded` for more than ``archiveLimit`` archives, or more rows than one can hold; `changed`, `io`. With
    ///   the path of the archive. No incomplete file is left.
    @discardableResult
    public func run(progress: (@Sendable (WorkProgress) -> Void)? = nil) throws(ArchiveError) -> Summary {
        guard !archives.isEmpty else { throw ArchiveError(.invalidArgument, "no archives to merge") }
        guard archives.count <= Self.archiveLimit else {
            throw ArchiveError(
                .limitExceeded,
                "\(archives.count) archives exceed the limit of \(Self.archiveLimit); merge some of them first"
            )
        }
        let exponent = archives.map { StoredArchive($0).blockExponent }.max() ?? 0
        let builder = try CommitBuilder(
            creating: target, options: ArchiveWriter.Options(blockExponent: exponent, signing: signing),
            madeFrom: SourceRights(of: archives.map(\.index.source)))
        defer { builder.cancel() }
        // By any of its names.
        for archive in archives where archive.fileNumber != nil && archive.fileNumber == builder.former {
            throw ArchiveError(
                .invalidArgument, "the output is one of the inputs; choose another name",
                path: archive.name)
        }
        var summary = try merge(into: builder, progress)
        try builder.commit()
        summary.length = try FileByteSource(path: target).length
        return summary
    }

    private func merge(
        into builder: CommitBuilder, _ progress: (@Sendable (WorkProgress) -> Void)?
    ) throws(ArchiveError) -> Summary {
        let all = archives.map { StoredArchive($0) }
        let dictionaries = CopiedDictionaries(builder, of: all)
        let copying = CopyingProgress(all, report: progress)
        var (summary, metadata, merged) = (Summary(), MergedMetadata(), [MergedArchive]())
        for stored in all {
            do throws(ArchiveError) {
                if let error = stored.lastCommitDamage {
                    throw ArchiveError.damaged(
                        "\(error.message); compact the archive into another file to omit it", offset: error.offset)
                }
                let rows = metadata.take(try stored.reader.newestMetadata())
                let shared = try SharedBodies(stored, in: merged)
                let selection = try selection(of: stored, rows, merged, shared, into: builder)
                let copy = try CopiedArchive(
                    stored, selection, metadata: rows, into: builder, dictionaries: dictionaries, progress: copying,
                    rules: BodyCopier.Rules(
                        splitting: .never, leavesOutDamaged: false, keepsDictionaries: true, provesDecoding: false))
                summary.entries += copy.entryCount
                summary.repeatedEntries += stored.reader.entryCount - copy.entryCount
                summary.bodies += copy.bodies.count
                summary.sharedBodies += shared.references.count
                summary.lengthBefore = summary.lengthBefore.addingSaturated(stored.reader.fileLength)
                merged.append(MergedArchive(stored: stored, copy: copy))
            } catch {
                throw error.at(path: stored.reader.name)
            }
        }
        if !merged.allSatisfy(\.copy.hasAllRecords) {
            try builder.setMetadata(MetadataName.records, to: MetadataName.someRecords)
        }
        if !metadata.ruleFiles.isEmpty {
            try builder.setMetadata(
                MetadataName.redirectRules,
                to: metadata.ruleFiles.map { String(untrusted: $0) }.joined(separator: " "))
        }
        summary.unusedRuleFiles = metadata.unusedRuleFiles
        return summary
    }

    /// Returns the part of an archive to copy; nil for all of it.
    private func selection(
        of stored: StoredArchive, _ metadata: [MetadataRow], _ earlier: [MergedArchive], _ shared: SharedBodies,
        into builder: CommitBuilder
    ) throws(ArchiveError) -> CopySelection? {
        let hasOtherBlocks = stored.blockLength != builder.blockLength
        guard hasOtherBlocks || !earlier.isEmpty else { return nil }
        let repeated = RepeatedEntries(stored, in: earlier, shared)
        var selection = try CopySelection(
            stored.reader.limitedToOnePass(), metadata: metadata, keepsOtherRecords: true
        ) { entry throws(ArchiveError) in
            try !repeated.contains(entry)
        }
        selection.share(shared.references)
        if hasOtherBlocks {
            // All blocks of a body but the last are full ones, of the length that the header says.
            try stored.forEachBody { body in
                if body.blocks.count > 1 { selection.remove(body: body.number) }
            }
        }
        return selection
    }
}

extension ArchiveMerger {
    /// The result of merging archives.
    public struct Summary: Sendable {
        /// The number of entries of the new archive.
        public var entries = 0
        /// The number of entries that repeat one of an earlier archive, and that are stored once.
        public var repeatedEntries = 0
        /// The number of bodies of the new archive, without those of dictionaries.
        public var bodies = 0
        /// The number of bodies that an earlier archive has as well, and that are stored once.
        public var sharedBodies = 0
        /// The length of all archives together, in bytes.
        public var lengthBefore: UInt64 = 0
        /// The length of the new archive, in bytes.
        public var length: UInt64 = 0
        /// The number of rule files beyond the 16 that readers use (specification section 8.7).
        public var unusedRuleFiles = 0

        /// Creates an empty summary.
        public init() {}
    }
}
