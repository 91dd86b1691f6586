// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// An open archive: finds entries and reads bodies, from any number of threads.
///
/// Opening touches the header, the footers and the class tables, and takes the same time and memory for ten entries as for ten
/// million. Everything else is read, and checked, when it is asked for. An archive that is appended to later stays
/// as it was when it was opened. Specification sections 3, 4 and 9.
public final class ArchiveReader: Sendable {
    let index: ArchiveIndex
    let blocks: BlockStore

    /// Bytes behind the newest whole commit, which are ignored: a writer never finished them, or the commit is damaged.
    public let tornTail: UInt64
    /// Whether the bytes of ``tornTail`` are a commit that was whole once and is damaged now.
    public let isLastCommitDamaged: Bool

    /// Opens an archive file.
    ///
    /// - Throws: `notAnArchive`, `unsupportedVersion`, `unsupportedFeature`, `truncated`, `damaged` or `io`, with path and offset.
    public convenience init(
        path: FilePath, access: FileByteSource.Access = .positional
    ) throws(ArchiveError) {
        try self.init(source: FileByteSource(path: path, access: access))
    }

    /// Opens an archive file. As ``init(path:access:)-(FilePath,_)``.
    public convenience init(
        path: String, access: FileByteSource.Access = .positional
    ) throws(ArchiveError) {
        try self.init(path: FilePath(path), access: access)
    }

    /// Opens an archive in memory.
    public convenience init(bytes: [UInt8]) throws(ArchiveError) {
        try self.init(source: MemoryByteSource(bytes))
    }

    /// Opens an archive that any source provides.
    public convenience init(source: any ByteSource) throws(ArchiveError) {
        try self.init(source: source, isPrivate: false)
    }

    /// Opens the archive of another reader once more, for one that gives memory back as it goes.
    convenience init(verifying other: ArchiveReader) throws(ArchiveError) {
        try self.init(source: other.index.source, isPrivate: true)
    }

    private init(source: any ByteSource, isPrivate: Bool) throws(ArchiveError) {
        do throws(ArchiveError) {
            let chain = try CommitChain(reading: source)
            var commits: [CommitIndex] = []
            for commit in chain.commits {
                commits.append(try CommitIndex(source: source, footer: commit.footer, sections: commit.sections))
            }
            index = try ArchiveIndex(source: source, header: chain.header, commits: commits, isPrivate: isPrivate)
            (tornTail, isLastCommitDamaged) = (chain.tornTail, chain.isLastCommitDamaged)
        } catch {
            let known = error.at(path: source.name)
            throw error.code == .damaged ? known.recovering(by: .copyAgain) : known
        }
        blocks = BlockStore(index: index)
    }

    /// Shares everything with another reader, except for the budget.
    init(sharing other: ArchiveReader, budget: DecodingBudget) {
        index = ArchiveIndex(sharing: other.index, budget: budget)
        blocks = other.blocks
        (tornTail, isLastCommitDamaged) = (other.tornTail, other.isLastCommitDamaged)
    }

    /// The name of the archive in errors, usually its path.
    public var name: String { index.source.name }

    /// Which file this is; nil for an archive that is in no file. Entries keep their positions in it when it is appended to.
    package var fileNumber: FileNumber? { index.source.fileNumber }

    /// Length of the archive in bytes, a torn tail included.
    public var fileLength: UInt64 { index.source.length }

    /// How many times the archive was written to.
    public var commitCount: Int { index.commits.count }

    /// Entries of all commits.
    public var entryCount: Int { index.rowCount(.entry) }

    /// Bodies of all commits, each counted once.
    public var bodyCount: Int { index.rowCount(.body) }

    /// The bodies with a digest. More than one means that different bodies share it.
    ///
    /// - Throws: `damaged` or `io`.
    public func bodies(digest: ContentDigest) throws(ArchiveError) -> [ArchiveBody] {
        var bodies: [ArchiveBody] = []
        for (number, commit) in index.commits.enumerated() {
            for row in try commit.bodies(digest) {
                bodies.append(try body(RowPlace(commit: UInt32(number), row: UInt32(row))))
            }
        }
        return bodies
    }

    func body(_ place: RowPlace) throws(ArchiveError) -> ArchiveBody { try ArchiveBody(place: place, store: blocks) }
}
