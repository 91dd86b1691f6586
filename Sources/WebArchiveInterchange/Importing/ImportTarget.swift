// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// An entry that an import added.
struct ImportedEntry {
    /// The number of entries that the import added before it.
    fileprivate let number: Int
}

/// The archive to which an import adds: in one commit, or in several, so that a later run continues behind the last one.
///
/// Other references to bodies than those of a ``CommitBuilder`` stay valid over commits: their numbers count the calls of this run.
final class ImportTarget {
    private let path: FilePath
    private let options: ArchiveImporter.Options
    private let rights: SourceRights
    private var builder: CommitBuilder
    private var bodies: GroupedBodies
    /// The journal; nil if the import has one commit.
    private var journal: ImportJournal?
    /// Whether the archive has the journal of this or another import.
    private var hasJournal: Bool
    /// The number of bytes of the files after which the next commit comes.
    private var nextCommit: UInt64
    /// The number of records after which the next commit comes: their rows are in memory until then.
    private var nextRecord = ImportTarget.recordInterval
    /// The numbers of bodies in the archive, by those of references; of an import with several commits.
    private var bodyNumbers = RowList<UInt32>()
    /// The filters of the bodies of the commits of this run, by the numbers of these.
    private var filters: [Int: DigestFilter] = [:]
    /// The number of references that lead to bodies of commits.
    private var committedCount = 0
    /// The number of entries that were added, and of those that were before the present commit.
    private var entryCount = 0
    private var committedEntryCount = 0
    /// The numbers in the archive of entries of earlier commits that records still need.
    private var waiting: [Int: UInt32] = [:]

    private static let recordInterval = 1 << 18

    /// - Parameters:
    ///   - builder: the first commit of this run.
    ///   - rights: the rights of the files that are read.
    ///   - journal: the journal; nil, the default, if the import has one commit.
    ///   - hasJournal: whether the archive has one.
    init(
        _ path: FilePath, _ builder: CommitBuilder, _ options: ArchiveImporter.Options,
        rights: SourceRights = SourceRights(), journal: ImportJournal? = nil, hasJournal: Bool = false
    ) {
        (self.path, self.builder, self.options, self.rights) = (path, builder, options, rights)
        waiting = journal?.waiting ?? [:]
        committedEntryCount = journal?.calls.entries ?? 0
        (self.journal, self.hasJournal, nextCommit) = (journal, hasJournal, options.commitInterval)
        bodies = GroupedBodies(builder, usesDictionaries: options.usesDictionaries, threads: options.threads)
    }

    /// Whether calls of an earlier run are passed over.
    var isPassingOver: Bool { journal?.isPassingOver ?? false }

    // MARK: - Additions

    /// Counts a call; returns whether an earlier run has made it.
    private func passesOver(_ kind: WritableKeyPath<ImportJournal.Calls, Int>) throws(ArchiveError) -> Bool {
        do throws(ArchiveError) {
            return try journal?.passesOver(kind) ?? false
        } catch {
            throw error.at(path: path.string)
        }
    }

    /// Stores a body. As ``GroupedBodies/add(_:kind:digest:)-(SpooledBody,_,_)``.
    func store(_ body: SpooledBody, kind: String) throws(ArchiveError) -> CommitBuilder.BodyReference {
        note(try bodies.add(body, kind: kind))
    }

    /// Stores bytes.
    func store(_ bytes: UnsafeRawBufferPointer, kind: String) throws(ArchiveError) -> CommitBuilder.BodyReference {
        note(try bodies.add(bytes, kind: kind))
    }

    /// Returns the reference to a body of the archive that is appended to; nil for one of another file.
    func reference(toStored body: ArchiveBody) throws(ArchiveError) -> CommitBuilder.BodyReference? {
        try builder.reference(toStored: body).map(note)
    }

    /// Returns the reference with a number.
    func reference(toBody number: UInt32) throws(ArchiveError) -> CommitBuilder.BodyReference {
        let own = journal == nil ? number : bodyNumbers[Int(number) - 1]
        let body = try builder.reference(toBody: own)
        return CommitBuilder.BodyReference(number: number, digest: body.digest, length: body.length)
    }

    /// Returns the reference for callers.
    private func note(_ body: CommitBuilder.BodyReference) -> CommitBuilder.BodyReference {
        guard journal != nil else { return body }
        bodyNumbers.append(body.number)
        return CommitBuilder.BodyReference(
            number: UInt32(bodyNumbers.count), digest: body.digest, length: body.length)
    }

    /// Returns the reference for the builder.
    private func own(_ body: CommitBuilder.BodyReference?) -> CommitBuilder.BodyReference? {
        guard let body, journal != nil else { return body }
        return CommitBuilder.BodyReference(
            number: bodyNumbers[Int(body.number) - 1], digest: body.digest, length: body.length)
    }

    private func own(_ original: OriginalBodies.Message) -> OriginalBodies.Message {
        OriginalBodies.Message(head: own(original.head), wire: own(original.wire))
    }

    /// Adds an exchange.
    ///
    @discardableResult
    func add(
        _ request: ArchiveRequest, requestBody: CommitBuilder.BodyReference? = nil, response: ArchiveResponse?,
        body: CommitBuilder.BodyReference? = nil, time: ArchiveTime? = nil, role: ArchiveEntry.Role = .exchange,
        originals: OriginalBodies = OriginalBodies(), failure: String? = nil
    ) throws(ArchiveError) -> ImportedEntry {
        let entry = ImportedEntry(number: entryCount)
        entryCount += 1
        guard try !passesOver(\.entries) else { return entry }
        var originals = originals
        (originals.request, originals.response) = (own(originals.request), own(originals.response))
        try builder.add(
            request, requestBody: own(requestBody), response: response, body: own(body), time: time, role: role,
            originals: originals, failure: failure)
        return entry
    }

    /// Returns the reference for the builder.
    private func own(_ entry: ImportedEntry?) throws(ArchiveError) -> CommitBuilder.EntryReference? {
        guard let number = entry?.number else { return nil }
        guard number < committedEntryCount else { return builder.reference(toEntry: number - committedEntryCount) }
        guard let committed = waiting[number] else { throw ImportJournal.changed.at(path: path.string) }
        return try builder.reference(toCommitted: committed)
    }

    /// Adds an entry for another URL with the same response. Only an import with one commit has them.
    func addAlias(_ url: CanonicalURL, of entry: ImportedEntry) throws(ArchiveError) {
        guard let entry = try own(entry) else { return }
        entryCount += 1
        try builder.addAlias(url, of: entry)
    }

    /// Adds a record.
    func add(
        _ record: ArchiveRecord, head: CommitBuilder.BodyReference?, block: CommitBuilder.BodyReference?,
        exchange: ImportedEntry?
    ) throws(ArchiveError) {
        guard try !passesOver(\.records) else { return }
        try builder.add(record, head: own(head), block: own(block), exchange: own(exchange))
    }

    /// Adds a page.
    func add(_ page: ArchivePage, text: CommitBuilder.BodyReference?) throws(ArchiveError) {
        guard try !passesOver(\.pages) else { return }
        try builder.add(page, text: own(text))
    }

    /// Sets a metadata value.
    func setMetadata(_ name: String, to value: String) throws(ArchiveError) {
        guard try !passesOver(\.metadata) else { return }
        try builder.setMetadata(name, to: value)
    }

    /// Sets a metadata value that is a body.
    func setMetadata(_ name: String, to body: CommitBuilder.BodyReference) throws(ArchiveError) {
        guard try !passesOver(\.metadata), let body = own(body) else { return }
        try builder.setMetadata(name, to: body)
    }

    // MARK: - Commits

    /// Returns whether so much was read that a commit comes before the end.
    func isCommitDue(_ progress: WorkProgress) -> Bool {
        guard let journal else { return false }
        if journal.isPassingOver { setNextCommit(after: progress) }
        return progress.bytes >= nextCommit || progress.items >= nextRecord
    }

    private func setNextCommit(after progress: WorkProgress) {
        // A quarter more each time: lookups search every commit, and an archive has 1,024 of them at most.
        nextCommit = progress.bytes.addingSaturated(max(options.commitInterval, progress.bytes / 4))
        nextRecord = progress.items + max(Self.recordInterval, progress.items / 4)
    }

    /// Commits the additions so far, and begins the next commit.
    ///
    /// - Parameters:
    ///   - progress: the progress of the import.
    ///   - records: the entries to which records belong that are not written yet.
    func commit(at progress: WorkProgress, waiting records: [ImportedEntry] = []) throws(ArchiveError) {
        guard var journal else { return }
        setNextCommit(after: progress)
        try bodies.finish()
        let needed = Set(records.map(\.number))
        waiting = waiting.filter { needed.contains($0.key) }
        let added = Set(needed.filter { $0 >= committedEntryCount }.map { $0 - committedEntryCount })
        for (entry, number) in builder.entryNumbersAfterCommit(added) { waiting[entry + committedEntryCount] = number }
        journal.waiting = waiting
        try builder.setMetadata(ImportJournal.stateName, to: journal.state)
        var writing = builder.options
        writing.examined = nil
        let numbers = builder.bodyNumbersAfterCommit()
        filters[journal.commitCount] = builder.digestFilter()
        TemporaryFiles.setNextCommit(of: path, isLast: false)
        defer { TemporaryFiles.setNextCommit(of: path, isLast: true) }
        try builder.commit()
        for row in committedCount..<bodyNumbers.count {
            bodyNumbers[row] = numbers.number(of: bodyNumbers[row])
        }
        (committedCount, committedEntryCount) = (bodyNumbers.count, entryCount)
        journal.commitCount += 1
        (self.journal, hasJournal) = (journal, true)
        builder = try CommitBuilder(appendingTo: path, options: writing, reading: rights)
        builder.setFilters(filters)
        bodies = GroupedBodies(builder, usesDictionaries: self.options.usesDictionaries, threads: self.options.threads)
    }

    /// Commits the additions since the last commit, at the end of the import.
    ///
    /// - Throws: `changed` if an earlier run made more calls.
    func finish() throws(ArchiveError) {
        guard !isPassingOver else { throw ImportJournal.changed.at(path: path.string) }
        if hasJournal {
            try builder.setMetadata(ImportJournal.stateName, to: nil)
        }
        try bodies.finish()
        try builder.commit()
    }

    /// Leaves the additions since the last commit. It has no effect after ``finish()``.
    func cancel() { builder.cancel() }
}
