// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// An open archive: finds entries and reads bodies, from any number of threads.
///
/// Opening touches the header, the footers, the section tables and the class tables, and takes the same time and memory
/// for ten entries as for ten million. Everything else is read and checked on demand: a page of the index,
/// 4,096 bytes, at its first use, and a block at each decoding. Of decoded blocks the reader keeps
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
    /// The commits as found in the file, including those that are not read.
    let chain: CommitChain
    /// The rows of all commits.
    let index: ArchiveIndex
    /// The store that reads blocks, with its caches.
    let blocks: BlockStore
    /// The keys that opened the archive.
    let trust: ArchiveTrust?
    /// Whether the trees of all signers are checked against the commits, although no key is trusted.
    private let isExamination: Bool

    /// The length of the ignored bytes after the newest whole commit; 0 if that commit ends the file.
    ///
    /// A writer never finished it, or it is a commit that is damaged: see ``isLastCommitDamaged``. Specification
    /// section 9.
    public let tornTail: UInt64
    /// Whether a commit after the newest whole one was whole once, and is now damaged or cut off.
    ///
    /// That is the case if at least half of the bytes of a footer's signature are 64 bytes before the end of ``tornTail``,
    /// or if a recovery slot names a later commit than the newest whole one. The data of that commit are not read, and a
    /// writer refuses to append. Specification section 9.
    public let isLastCommitDamaged: Bool
    /// The statement that trusted keys signed; nil in an archive that was opened without keys. Specification section 13.
    public let statement: ArchiveStatement?
    /// The number of commits after the newest trusted one, which are not read; 0 without keys.
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
    ///   - trust: the keys that must have signed the data; nil, the default, to read without keys. Each part of the
    ///     file is then proved before its first use (specification section 13): 64 KiB of the index and
    ///     the blocks of a body cost their SHA-256 once.
    /// - Throws: `untrusted` if the trusted keys did not sign the archive, or it is older than an edition seen
    ///   before; `notAnArchive` if the first 11 bytes are not an archive's; `unsupportedVersion` for a different major
    ///   version; `unsupportedFeature` for a required feature or section of a later version; `truncated` without a
    ///   whole commit; `damaged` for a violation of sections 3 to 6; `limitExceeded` for 2^48 bytes or more, and
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
    ///   - access: the access, as in ``init(path:access:trust:)-(FilePath,_,_)``.
    ///   - trust: the trust, as in ``init(path:access:trust:)-(FilePath,_,_)``.
    /// - Throws: the errors of ``init(path:access:trust:)-(FilePath,_,_)``.
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
    ///   - trust: the trust, as in ``init(path:access:trust:)-(FilePath,_,_)``.
    /// - Throws: the errors of ``init(path:access:trust:)-(FilePath,_,_)`` except `io`. Errors name the path `archive in memory`.
    public convenience init(bytes: [UInt8], trust: ArchiveTrust? = nil) throws(ArchiveError) {
        try self.init(source: MemoryByteSource(bytes), trust: trust)
    }

    /// Opens an archive from any source.
    ///
    /// - Parameters:
    ///   - source: the source, which is kept and called from any thread.
    ///   - trust: the trust, as in ``init(path:access:trust:)-(FilePath,_,_)``.
    /// - Throws: the errors of ``init(path:access:trust:)-(FilePath,_,_)``, and errors of ``ByteSource/read(at:into:)``.
    public convenience init(source: any ByteSource, trust: ArchiveTrust? = nil) throws(ArchiveError) {
        try self.init(source: source, trust: trust, isPrivate: false)
    }

    /// Opens the archive of another reader again, for a caller that releases memory as it proceeds.
    convenience init(verifying other: ArchiveReader) throws(ArchiveError) {
        try self.init(
            source: other.index.source, trust: other.trust?.withoutSequences, isPrivate: true,
            isExamination: other.isExamination)
    }

    /// Opens the archive of another reader again, for a signer: with all its commits, and with the
    /// proofs of those that a tree covers, by any signer.
    ///
    /// - Throws: as ``init(path:access:trust:)-(FilePath,_,_)`` without keys; `untrusted` if a tree does not cover
    ///   all that it must cover.
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
                proofs = try signed.newestProved()?.proofs ?? []
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

    /// Raises the sequence record to the archive's sequence; has no effect without a record.
    ///
    /// Opening does so unless ``ArchiveTrust/recordsOnOpening`` is false.
    ///
    /// - Throws: `untrusted` if a higher sequence was recorded since the archive was opened; as
    ///   ``SequenceRecord/sequences()``, `io`.
    public func recordSequence() throws(ArchiveError) {
        guard let statement else { return }
        try trust?.sequences?.raise(to: statement, of: name)
    }

    /// Shares everything with a different reader, except for the budget.
    init(sharing other: ArchiveReader, budget: DecodingBudget) {
        (chain, isExamination) = (other.chain, other.isExamination)
        index = ArchiveIndex(sharing: other.index, budget: budget)
        blocks = other.blocks
        (tornTail, isLastCommitDamaged) = (other.tornTail, other.isLastCommitDamaged)
        (trust, statement, untrustedCommitCount) = (other.trust, other.statement, other.untrustedCommitCount)
    }

    /// The name of the archive in errors, usually its path: that of its source, ``ByteSource/name``.
    public var name: String { index.source.name }

    /// The number of the file; nil for an archive without a file. Entries keep their positions in it when it is appended to.
    package var fileNumber: FileNumber? { index.source.fileNumber }

    /// The length of the archive when it was opened, in bytes, ``tornTail`` included.
    public var fileLength: UInt64 { index.source.length }

    /// The number of commits, 1 to 1,024: the number of writes to the archive since it was created or compacted.
    public var commitCount: Int { index.commits.count }

    /// The number of entries of all commits, including older captures, aliases, and entries that are kept for unpacking.
    ///
    /// Read when the archive was opened. At most 2^32 − 2, specification section 10.
    public var entryCount: Int { index.rowCount(.entry) }

    /// The number of bodies of all commits, each counted once, including dictionaries.
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
