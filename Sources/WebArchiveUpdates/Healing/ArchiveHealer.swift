// SPDX-License-Identifier: Apache-2.0

public import SystemPackage
public import WebArchive

/// A healer that replaces the damaged parts of a signed archive with those of other copies.
///
/// The tree of a signed archive tells which parts are damaged, and proves each part that another file offers before it is written:
/// a copy that lies heals nothing. The healed archive is written beside its name and renamed, under the writer's lock, so that a run that
/// ends early leaves the archive as it was. Specification section 13.
///
/// ```swift
/// let summary = try ArchiveHealer("notes.webarc", from: ["/media/stick/notes.webarc"]).run()
/// print(summary.healedLength, summary.lostLength)
/// ```
public struct ArchiveHealer: Sendable {
    /// The counts of a run.
    public struct Summary: Sendable {
        /// The number of parts that were damaged and have been replaced.
        public var healedParts = 0
        /// The length of these parts, in bytes.
        public var healedLength: UInt64 = 0
        /// The number of parts that are damaged still: no other file has them.
        public var lostParts = 0
        /// The length of these parts, in bytes.
        public var lostLength: UInt64 = 0
        /// The length of what was proved, in bytes.
        public var coveredLength: UInt64 = 0
    }

    /// The archive to heal.
    public let archive: FilePath
    /// The files that may have what it lacks, asked in this order: copies of the archive, whole or damaged as well, beginnings of it, parts out
    /// of its middle, and other editions.
    public let sources: [FilePath]
    /// The keys that must have signed the archive; nil for those that its own statement names, which proves that nothing
    /// is damaged, and not who made it.
    public var trust: ArchiveTrust?
    /// The number of threads that look for damage, at least 1.
    public var threads = 1

    /// Creates a healer. Reads nothing yet.
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
    /// Costs one reading of the archive and, for what is damaged, readings of the other files; and room on the disk for a copy of the
    /// archive. An archive in which nothing is damaged is left alone.
    ///
    /// - Parameters:
    ///   - target: the file that gets the healed archive; nil, the default, for the archive itself.
    ///   - progress: a function that is called now and then with the bytes that were looked at, from any thread.
    /// - Returns: the counts. What could not be healed is in the file as it was.
    /// - Throws: the error of opening the archive if neither it nor another file tells what belongs in it, such as `untrusted` if the keys did
    ///   not sign it, `truncated` or `notAnArchive`; `alreadyExists` if the target is not an archive; `locked`, `changed`, `io`.
    @discardableResult
    public func run(
        into target: FilePath? = nil, progress: (@Sendable (WorkProgress) -> Void)? = nil
    ) throws(ArchiveError) -> Summary {
        var copies: [OtherCopy] = []
        for path in sources { copies.append(try OtherCopy(path)) }
        let file = try WholeArchiveFile(
            replacing: target ?? archive, isArchive: target == nil,
            madeFrom: SourceRights(of: [ArchiveFile.open(archive)]))
        defer { file.cancel() }
        let length = try file.copy(archive)
        var repair = Repair(file: file, copies: copies, threads: threads, length: length, progress: progress)
        try repair.open(archive, trust)
        try repair.run()
        guard repair.summary.healedParts > 0 || target != nil else { return repair.summary }
        try file.commit()
        return repair.summary
    }
}
