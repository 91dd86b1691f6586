// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// An open archive: finds entries and reads bodies, from any number of threads.
///
/// Opening touches the header, the footers, the section tables and the class tables, and takes the same time and memory
/// for ten entries as for ten million. Everything else is read, and checked, when it is asked for: a page of the index,
/// 4,096 bytes, when it is first touched, and a block each time that it is decoded. Of decoded blocks the reader keeps
/// the last 16 that several bodies share, and the last 512 dictionaries. An archive that is appended to later stays as
/// it was when it was opened. Specification sections 3, 4 and 9.
///
/// ```swift
/// let archive = try ArchiveReader(path: "notes.webarc")
/// if let entry = try archive.entry(for: "https://notes.example/"), let body = try entry.body {
///     print(try entry.response?.status ?? 0, body.length)
/// }
/// ```
///
/// The file stays open as long as the reader, an ``ArchiveEntry`` or an ``ArchiveBody`` of it is in use.
public final class ArchiveReader: Sendable {
    /// The commits as they were found in the file, those that are not read included.
    let chain: CommitChain
    /// The rows of all commits.
    let index: ArchiveIndex
    /// The store that reads blocks, with its caches.
    let blocks: BlockStore
    /// The keys with which the archive was opened.
    let trust: ArchiveTrust?
    /// Whether the trees of all signers are checked against the commits, although no key is trusted.
    private let isExamination: Bool

    /// The length of what lies after the newest whole commit and is ignored, in bytes; 0 if that commit ends the file.
    ///
    /// A writer never finished it, or it is a commit that is damaged: see ``isLastCommitDamaged``. Specification
    /// section 9.
    public let tornTail: UInt64
    /// Whether a commit after the newest whole one was whole once, and is damaged or cut off now.
    ///
    /// That is so if at least half of the bytes of a footer's signature stand 64 bytes before the end of ``tornTail``,
    /// or if a recovery slot names a later commit than the newest whole one. What that commit added is not read, and a
    /// writer refuses to append. Specification section 9.
    public let isLastCommitDamaged: Bool
    /// The statement that trusted keys signed; nil in an archive that was opened without keys. Specification section 13.
    public let statement: ArchiveStatement?
    /// The number of commits that were appended after the newest trusted one and are not read; 0 without keys.
    public let untrustedCommitCount: Int

    /// Opens an archive file.
    ///
    /// Costs one read of the header and three reads for each commit, of 1,024 at most.
    ///
    /// - Parameters:
    ///   - path: a regular file; symbolic links are followed. The first part, `NAME.001`, represents an archive in
    ///     several files (specification section 14), which are read by position.
    ///   - access: the way in which bytes are reached. The default is right for files that may change or fail while
    ///     they are open; see ``FileByteSource/Access``.
    ///   - trust: the keys that must have signed what is read; nil, the default, to read without keys. Each part of the
    ///     file is then proved before it is used for the first time (specification section 13): 64 KiB of the index and
    ///     the blocks of a body cost their SHA-256 once.
    /// - Throws: `untrusted` if the trusted keys did not sign the archive, or it is an older edition than was seen
    ///   before; `notAnArchive` if the first 11 bytes are not an archive's; `unsupportedVersion` for another major
    ///   version; `unsupportedFeature` for a required feature or section of a later version; `truncated` without a
    ///   whole commit; `damaged` for what breaks a rule of sections 3 to 6; `limitExceeded` for 2^48 bytes or more, and
    ///   for more rows of width 0 than section 10 allows; `io`. With the path, and the offset where it is known.
    public convenience init(
        path: FilePath, access: FileByteSource.Access = .positional, trust: ArchiveTrust? = nil
    ) throws(ArchiveError) {
        let source = try ArchiveFile.open(path, access: access)
        do throws(ArchiveError) {
            try self.init(source: source, trust: trust)
        } catch {
            throw ArchiveFile.explaining(error, of: source)
        }
    }

    /// Opens an archive file. As ``init(path:access:trust:)-(FilePath,_,_)``.
    ///
    /// - Parameters:
    ///   - path: the path as text.
    ///   - access: as there.
    ///   - trust: as there.
    /// - Throws: as there.
    public convenience init(
        path: String, access: FileByteSource.Access = .positional, trust: ArchiveTrust? = nil
    ) throws(ArchiveError) {
        try self.init(path: FilePath(path), access: access, trust: trust)
    }

    /// Opens an archive in memory, at the cost of one copy of its bytes. Bodies that are stored raw are not copied
    /// again.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - trust: as in ``init(path:access:trust:)-(FilePath,_,_)``.
    /// - Throws: as there, but for `io`. Errors name the path `archive in memory`.
    public convenience init(bytes: [UInt8], trust: ArchiveTrust? = nil) throws(ArchiveError) {
        try self.init(source: MemoryByteSource(bytes), trust: trust)
    }

    /// Opens an archive that any source provides.
    ///
    /// - Parameters:
    ///   - source: is kept, and asked from any thread.
    ///   - trust: as in ``init(path:access:trust:)-(FilePath,_,_)``.
    /// - Throws: as there, and errors of ``ByteSource/read(at:into:)``.
    public convenience init(source: any ByteSource, trust: ArchiveTrust? = nil) throws(ArchiveError) {
        try self.init(source: source, trust: trust, isPrivate: false)
    }

    /// Opens the archive of another reader once more, for one that gives memory back as it goes.
    convenience init(verifying other: ArchiveReader) throws(ArchiveError) {
        try self.init(
            source: other.index.source, trust: other.trust?.withoutSequences, isPrivate: true,
            isExamination: other.isExamination)
    }

    /// Opens the archive of another reader once more, for one who is to sign it: with all its commits, and with the
    /// proofs of those that a tree covers, whoever signed it.
    ///
    /// - Throws: as ``init(path:access:trust:)-(FilePath,_,_)`` without keys; `untrusted` where a tree does not cover
    ///   what it must cover.
    package convenience init(examining other: ArchiveReader) throws(ArchiveError) {
        try self.init(source: other.index.source, trust: nil, isPrivate: false, isExamination: true)
    }

    private init(
        source: any ByteSource, trust: ArchiveTrust?, isPrivate: Bool, isExamination: Bool = false
    ) throws(ArchiveError) {
        self.isExamination = isExamination
        do throws(ArchiveError) {
            let chain = try CommitChain(reading: source)
            self.chain = chain
            let trusted = try trust.mapTyped { trust throws(ArchiveError) in
                try TrustedCommits(chain, in: source, trust: trust)
            }
            self.trust = trusted?.trust
            (statement, untrustedCommitCount) = (trusted?.statement, trusted?.ignoredCount ?? 0)
            var proofs = trusted?.proofs ?? []
            if isExamination {
                var signed = try SignedCommits(chain, in: source)
                proofs = try signed.newest()?.proofs ?? []
            }
            var commits: [CommitIndex] = []
            for (number, commit) in chain.commits[..<(trusted?.proofs.count ?? chain.commits.count)].enumerated() {
                commits.append(
                    try CommitIndex(
                        source: source, footer: commit.footer, sections: commit.sections,
                        proof: number < proofs.count ? proofs[number] : nil))
            }
            index = try ArchiveIndex(source: source, header: chain.header, commits: commits, isPrivate: isPrivate)
            (tornTail, isLastCommitDamaged) = (chain.tornTail, chain.isLastCommitDamaged)
        } catch {
            let known = error.at(path: source.name)
            throw error.code == .damaged ? known.recovering(by: .copyAgain) : known
        }
        blocks = BlockStore(index: index)
        if trust?.recordsOnOpening == true { try recordSequence() }
    }

    /// Raises the record of sequences to that of the archive; does nothing in an archive that was opened without one.
    ///
    /// Opening does so unless ``ArchiveTrust/recordsOnOpening`` is false.
    ///
    /// - Throws: `untrusted` if a higher sequence was recorded since the archive was opened; as
    ///   ``SequenceRecord/sequences()``, `io`.
    public func recordSequence() throws(ArchiveError) {
        guard let statement else { return }
        try trust?.sequences?.raise(to: statement, of: name)
    }

    /// Shares everything with another reader, except for the budget.
    init(sharing other: ArchiveReader, budget: DecodingBudget) {
        (chain, isExamination) = (other.chain, other.isExamination)
        index = ArchiveIndex(sharing: other.index, budget: budget)
        blocks = other.blocks
        (tornTail, isLastCommitDamaged) = (other.tornTail, other.isLastCommitDamaged)
        (trust, statement, untrustedCommitCount) = (other.trust, other.statement, other.untrustedCommitCount)
    }

    /// The name of the archive in errors, usually its path: that of its source, ``ByteSource/name``.
    public var name: String { index.source.name }

    /// Which file this is; nil for an archive that is in no file. Entries keep their positions in it when it is appended to.
    package var fileNumber: FileNumber? { index.source.fileNumber }

    /// The length of the archive when it was opened, in bytes, ``tornTail`` included.
    public var fileLength: UInt64 { index.source.length }

    /// The number of commits, 1 to 1,024: how many times the archive was written to since it was made or compacted.
    public var commitCount: Int { index.commits.count }

    /// The number of entries of all commits: older captures, aliases, and entries that are kept for unpacking included.
    ///
    /// Read when the archive was opened. At most 2^32 − 2, specification section 10.
    public var entryCount: Int { index.rowCount(.entry) }

    /// The number of bodies of all commits, each counted once, those that are dictionaries included.
    public var bodyCount: Int { index.rowCount(.body) }

    /// Finds the bodies with a digest. More than one means that different bodies share it (specification section 5,
    /// "Equal digests").
    ///
    /// Costs a binary search in each commit, O(log n); no byte of a body is read.
    ///
    /// - Parameter digest: the MD5 of the bytes.
    /// - Returns: the bodies, those of older commits first; none if the archive has no such body.
    /// - Throws: `damaged` or `io`.
    public func bodies(digest: ContentDigest) throws(ArchiveError) -> [ArchiveBody] {
        var bodies: [ArchiveBody] = []
        for (number, commit) in index.commits.enumerated() {
            // Rows that are out of order would be taken for others.
            for row in try commit.bodies(digest) where try commit.digest(row) == digest {
                bodies.append(try body(RowPlace(commit: UInt32(number), row: UInt32(row))))
            }
        }
        return bodies
    }

    /// Reads a row of `Body`.
    func body(_ place: RowPlace) throws(ArchiveError) -> ArchiveBody { try ArchiveBody(place: place, store: blocks) }
}
