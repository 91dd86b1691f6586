// SPDX-License-Identifier: Apache-2.0

public import SystemPackage
public import WebArchive

/// A healer that replaces the damaged parts of a signed archive with those of other copies.
///
/// The tree of a signed archive identifies damaged parts, and proves each part of a different file before it is written:
/// a falsified copy has no effect. The healed archive is written beside its name and renamed, under the writer's lock, so that a run that
/// ends early leaves the archive unchanged. Specification section 13.
///
/// ```swift
/// let summary = try ArchiveHealer("notes.webarc", from: ["/media/stick/notes.webarc"]).run()
/// print(summary.healedLength, summary.lostLength)
/// ```
public struct ArchiveHealer: Sendable {
    /// The counts of a run.
    public struct Summary: Sendable {
        /// The number of damaged parts that have been replaced.
        public var healedParts = 0
        /// The length of these parts, in bytes.
        public var healedLength: UInt64 = 0
        /// The number of parts that are still damaged: no other file has them.
        public var lostParts = 0
        /// The length of these parts, in bytes.
        public var lostLength: UInt64 = 0
        /// The length of the proved parts, in bytes.
        public var coveredLength: UInt64 = 0
        /// The length of the removed bytes after the last commit.
        public var removedLength: UInt64 = 0
        /// The series of the archive, in its statement.
        public var series = ""
        /// The sequence of the archive, in its statement.
        public var sequence: UInt64 = 0
        /// The other file that identified the edition; nil if the archive itself did.
        public var editionSource: FilePath?
    }

    /// The archive to heal.
    public let archive: FilePath
    /// The files that may have the missing parts, searched in this order: copies of the archive, whole or damaged as well, beginnings of it,
    /// parts out of its middle, and other editions.
    public let sources: [FilePath]
    /// The keys that must have signed the archive; nil for those that its own statement names, which finds
    /// damage, but does not identify the maker.
    public var trust: ArchiveTrust?
    /// The number of threads that search for damage, at least 1.
    public var threads = 1

    /// Creates a healer. It reads nothing yet.
    ///
    /// - Parameters:
    ///   - archive: a signed archive.
    ///   - sources: at least one file.
    ///   - trust: nil by default.
    public init(_ archive: FilePath, from sources: [FilePath], trust: ArchiveTrust? = nil) {
        (self.archive, self.sources, self.trust) = (archive, sources, trust)
        self.trust?.sequences = nil
    }

    /// Heals the archive.
    ///
    /// It costs one reading of the archive and, for damaged parts, readings of the other files; and disk space for a copy of the
    /// archive. An intact archive is not changed.
    ///
    /// - Parameters:
    ///   - target: the file that gets the healed archive; nil, the default, for the archive itself.
    ///   - progress: a function that is called now and then with the bytes that were looked at, from any thread.
    /// - Returns: the counts. Parts that could not be healed stay unchanged.
    /// - Throws: the error of opening the archive if neither it nor another file proves its contents, such as `untrusted` if the keys did
    ///   not sign it or it is unsigned, `truncated` or `notAnArchive`; `damaged` if bytes after the last commit may be a later edition, and there is
    ///   no target; `alreadyExists` if the target is not an archive; `invalidArgument` if a file that is read has the temporary name of the target;
    ///   `locked`, `changed`, `io`.
    @discardableResult
    public func run(
        into target: FilePath? = nil, progress: (@Sendable (WorkProgress) -> Void)? = nil
    ) throws(ArchiveError) -> Summary {
        var copies: [OtherCopy] = []
        for path in sources { copies.append(try OtherCopy(path)) }
        let source = try ArchiveFile.open(archive)
        let file = try WholeArchiveFile(
            replacing: target ?? archive,
            // Another file that a link leads to counts as an archive only by its name.
            isArchive: { target == nil && ($0 == archive || $0.extension == "webarc") },
            // In place, the archive stays open to its readers, who get parts of the same edition.
            madeFrom: target == nil
                ? SourceRights(of: [source], alsoReading: copies.compactMap(\.source.fileNumber))
                : SourceRights(of: [source] + copies.map(\.source)))
        defer { file.cancel() }
        // A commit may have been appended before the lock was taken.
        let length = try file.copy(ArchiveFile.open(archive, again: source))
        var repair = Repair(
            file: file, copies: copies, threads: threads, isInPlace: target == nil, length: length,
            progress: progress)
        do throws(ArchiveError) {
            try repair.open(archive, trust)
            try repair.run()
        } catch {
            // The copy under repair goes by the name of the archive.
            guard error.path == file.partial.string else { throw error }
            throw ArchiveError(
                error.code, error.message, path: archive.string, offset: error.offset, cause: error.cause,
                recovery: error.recovery)
        }
        guard repair.summary.healedParts > 0 || repair.summary.removedLength > 0 || target != nil else {
            return repair.summary
        }
        try file.commit()
        return repair.summary
    }
}
