// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// An extractor that copies a part of an archive into a new one.
///
/// The extract has all captures of the URLs that the filter selects, with their bodies. An alias is copied with its original, or
/// with its own URL. Rule files and metadata stay; the main page stays if it is in the extract. A block is copied as
/// stored, after a check of its checksum, if all of it is kept; otherwise its kept bodies are compressed again, so
/// that none of the other bodies is in the extract. Neither is a dictionary, unless all bodies are kept: dictionaries consist of parts of
/// bodies, so that bodies that were compressed against one are compressed again without. Specification sections 5, 7 and 8.
///
/// ```swift
/// var filter = EntryFilter()
/// filter.include = [try GlobPattern("/docs/**")]
/// let summary = try ArchiveExtractor(archive, into: "docs.webarc", filter: filter).run()
/// print(summary.entries, "of", summary.totalEntries)
/// ```
public struct ArchiveExtractor: Sendable {
    /// The source archive.
    public let archive: ArchiveReader
    /// The new archive; an archive of this name is replaced once the new one is complete.
    public let target: FilePath
    /// The filter of URLs.
    public let filter: EntryFilter

    /// Creates an extractor. It reads and writes nothing yet.
    public init(_ archive: ArchiveReader, into target: FilePath, filter: EntryFilter) {
        self.archive = archive
        self.target = target
        self.filter = filter
    }

    /// Writes the extract, which gets its name when it is complete and on disk.
    ///
    /// It reads each entry twice, and the blocks of the selected bodies. Memory grows with the numbers of rows, not with bodies.
    ///
    /// - Parameter progress: a function that is called now and then with the bytes of blocks and the entries that were copied; the totals
    ///   are those of the archive.
    /// - Returns: the counts, and the damage that was left out.
    /// - Throws: `notFound` if the filter selects nothing, with the nearest name; `invalidArgument` if the target is the
    ///   archive itself; `alreadyExists` if it is a file that is not an archive; `locked` if another writer is at work;
    ///   `damaged` if everything depends on damaged data; `limitExceeded`, `changed`, `io`. With the
    ///   archive's path.
    @discardableResult
    public func run(progress: (@Sendable (WorkProgress) -> Void)? = nil) throws(ArchiveError) -> Summary {
        do throws(ArchiveError) {
            return try extract(progress)
        } catch {
            throw error.at(path: archive.name)
        }
    }

    private func extract(_ progress: (@Sendable (WorkProgress) -> Void)?) throws(ArchiveError) -> Summary {
        let stored = StoredArchive(archive)
        let rows = try archive.newestMetadata()
        let plan = try ExtractionPlan(archive, filter, metadata: rows)
        guard plan.matchCount > 0 else { throw try nothing(plan) }
        let builder = try CommitBuilder(
            creating: target, options: ArchiveWriter.Options(blockExponent: stored.blockExponent),
            madeFrom: SourceRights(of: [stored.source]))
        defer { builder.cancel() }
        // By any of its names.
        guard archive.fileNumber == nil || archive.fileNumber != builder.former else {
            throw ArchiveError(
                .invalidArgument, "the output is the input archive; choose another name")
        }
        var summary = Summary()
        summary.totalEntries = archive.entryCount
        if let error = stored.lastCommitDamage { summary.damage.append(error) }
        var metadata = rows
        var selection = try CopySelection(
            archive.limitedToOnePass(), metadata: [], keepsOtherRecords: false
        ) { entry throws(ArchiveError) in try plan.contains(entry) }
        summary.droppedMainPage = try droppedMainPage(rows, selection)
        if summary.droppedMainPage != nil {
            metadata.removeAll { $0.nameBytes.elementsEqual(MetadataName.mainPage.utf8) }
        }
        selection.add(metadata)
        let keepsDictionaries = try !selection.dropsBodies(of: stored)
        if !keepsDictionaries {
            // They are copied byte by byte, in blocks of their own.
            try stored.forEachBody { body throws(ArchiveError) in
                guard body.blocks.count > 1 else { return }
                let usesDictionary = body.blocks.contains { number in
                    (try? stored.block(number))?.dictionary != nil
                }
                if usesDictionary { selection.remove(body: body.number) }
            }
        }
        let copy = try CopiedArchive(
            stored, selection, metadata: metadata, into: builder,
            dictionaries: CopiedDictionaries(builder, of: [stored]),
            progress: CopyingProgress([stored], report: progress),
            rules: BodyCopier.Rules(
                splitting: .unlessFull, leavesOutDamaged: true, keepsDictionaries: keepsDictionaries,
                provesDecoding: true))
        if !copy.hasAllRecords { try builder.setMetadata(MetadataName.records, to: MetadataName.someRecords) }
        try builder.commit()
        summary.entries = copy.entryCount
        summary.bodies = copy.bodies.count
        summary.damage += copy.damage
        summary.length = try FileByteSource(path: target).length
        return summary
    }

    /// Returns the main page of the archive if the extract lacks it; nil otherwise.
    private func droppedMainPage(
        _ metadata: [MetadataRow], _ selection: CopySelection
    ) throws(ArchiveError) -> String? {
        let row = metadata.first { $0.nameBytes.elementsEqual(MetadataName.mainPage.utf8) }
        guard let bytes = row?.text, let page = try? CanonicalURL(utf8: bytes) else { return nil }
        var isStored = false
        var isKept = false
        try archive.limitedToOnePass().forEachEntry(prefix: page.description) { entry throws(ArchiveError) in
            guard try entry.keyBytes.elementsEqual(page.bytes) else { return false }
            isStored = true
            isKept = selection.contains(entry)
            return !isKept
        }
        return isStored && !isKept ? page.description : nil
    }

    /// Returns the error for a filter that selects nothing.
    private func nothing(_ plan: ExtractionPlan) throws(ArchiveError) -> ArchiveError {
        guard !plan.isAllExcluded else {
            return ArchiveError(.notFound, "all selected URLs are excluded")
        }
        // Either of the two may be wrong; the patterns are, if the prefix alone takes something.
        var searches = filter.include.map { NearestName(to: $0) }
        if !filter.urlPrefix.isEmpty { searches.append(NearestName(toPrefix: filter.urlPrefix)) }
        try archive.limitedToOnePass().forEachEntry { entry throws(ArchiveError) in
            guard let url = try? entry.canonicalURL else { return true }
            var goesOn = false
            for number in searches.indices { goesOn = searches[number].look(at: url) || goesOn }
            return goesOn
        }
        let names = searches.compactMap(\.name)
        let advice = names.isEmpty ? "" : "; similar: \(names.joined(separator: ", "))"
        return ArchiveError(.notFound, "no URL in the archive matches\(advice)")
    }
}

extension ArchiveExtractor {
    /// The result of an extraction.
    public struct Summary: Sendable {
        /// The number of selected entries, including captures, aliases and rule files.
        public var entries = 0
        /// The number of entries of the archive.
        public var totalEntries = 0
        /// The number of selected bodies, without those of dictionaries.
        public var bodies = 0
        /// The length of the extract, in bytes.
        public var length: UInt64 = 0
        /// The main page of the archive, if it is not in the extract; nil if it is, or the archive names none.
        public var droppedMainPage: String?
        /// The reasons why entries, metadata and the last commit cannot be read, and so are not in the extract, with
        /// their places in the archive.
        public var damage: [ArchiveError] = []

        /// Creates an empty summary.
        public init() {}
    }
}
