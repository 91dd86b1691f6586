// SPDX-License-Identifier: Apache-2.0

import Crypto
public import SystemPackage
public import WebArchive
import WebArchiveFormat

/// A writer of a patch: the difference between two editions of an archive.
///
/// ``ArchivePatcher`` makes the new archive of the old one and the patch, byte for byte, including the signature. Changed bodies are coded against
/// the old bodies of the same URLs; the index is rebuilt from its changes. The format is that of `Spec/patch-1.md`.
///
/// ```swift
/// let summary = try ArchiveDiffer(from: "notes-1.webarc", to: "notes-2.webarc").run(into: "notes-2.webarcpatch")
/// print(summary.patchLength)
/// ```
public struct ArchiveDiffer: Sendable {
    /// The options of a run.
    public struct Options: Sendable {
        /// The level of zstd, 1 to 19: higher ones take longer, and produce smaller patches.
        public var level = 12
        /// Whether the patch has the stored bytes of all changed blocks, for machines whose LZ4 writes others: those that are not 64-bit and
        /// little-endian, or have a different version of liblz4.
        public var isPortable = false
        /// The number of threads, at least 1. At most four of them process contents, which bounds memory.
        public var threads = 1

        /// Creates the default options.
        public init() {}
    }

    /// The counts of a run.
    public struct Summary: Sendable {
        /// The length of the patch, in bytes.
        public var patchLength: UInt64 = 0
        /// The length of the new archive, in bytes.
        public var newLength: UInt64 = 0
        /// The number of bodies of the new archive that the old one has.
        public var sameBodies = 0
        /// The number of bodies that are coded against those of the same URL.
        public var changedBodies = 0
        /// The number of bodies without a counterpart.
        public var newBodies = 0
        /// The length of stored blocks that the patch contains verbatim, because this machine's LZ4 writes others, or all for a portable patch.
        public var literalLength: UInt64 = 0
    }

    /// The old archive, which the users of the patch have.
    public let old: FilePath
    /// The new archive.
    public let new: FilePath
    /// The options.
    public var options: Options

    /// Creates a differ. It reads nothing yet.
    ///
    /// - Parameters:
    ///   - old: an archive.
    ///   - new: an archive.
    ///   - options: the default ones by default.
    public init(from old: FilePath, to new: FilePath, options: Options = Options()) {
        (self.old, self.new, self.options) = (old, new, options)
    }

    /// Writes the patch.
    ///
    /// It costs a reading of both archives, decoding of changed blocks, and compressing them again to check that this reproduces the same
    /// bytes. It takes memory for the index of both, and some 16 MiB for each thread.
    ///
    /// - Parameters:
    ///   - patch: the file, which is replaced if it is a patch.
    ///   - progress: a function that is called now and then with the bytes that are done, from any thread.
    /// - Throws: as ``ArchiveReader/init(path:access:trust:)-(FilePath,_,_)`` for both archives; `damaged` for blocks that do not match their
    ///   checksums; `alreadyExists` if the file exists and is not a patch; `io`.
    @discardableResult
    public func run(
        into patch: FilePath, progress: (@Sendable (WorkProgress) -> Void)? = nil
    ) throws(ArchiveError) -> Summary {
        try run(
            StoredArchive(ArchiveReader(path: old)), StoredArchive(ArchiveReader(path: new)), into: FilePlace(patch),
            progress: progress)
    }

    /// Writes the patch between two open archives. The paths of the differ are not used.
    ///
    /// - Parameter publish: a function that checks the whole patch, and sets the rights of the file, before it gets its name; nil, the default, for the
    ///   rights of both archives.
    /// - Throws: as ``run(into:progress:)``, and errors of `publish`.
    func run(
        _ old: StoredArchive, _ new: StoredArchive, into patch: FilePlace,
        progress: (@Sendable (WorkProgress) -> Void)?, publish: ((FileDescriptor) throws -> Void)? = nil
    ) throws(ArchiveError) -> Summary {
        try Self.checkReplaceable(patch)
        do throws(ArchiveError) {
            return try write(old, new, [], to: patch, progress, publish)
        } catch  where error.cause is ChunkDiffer.BodyCollision {
            // An archive can have any number of them: all are found before the second and last run.
            return try write(old, new, OriginSearch.collisions(old, new), to: patch, progress, publish)
        }
    }

    /// Writes the patch under a temporary name, and renames it when it is whole.
    ///
    /// - Parameters:
    ///   - collisions: the rows of bodies in the new archive that differ from those of their digest in the old one, and that the patch must
    ///     not take from it.
    ///   - publish: the function that checks the whole patch and sets its rights; nil for the rights of both archives.
    private func write(
        _ old: StoredArchive, _ new: StoredArchive, _ collisions: Set<Int>, to patch: FilePlace,
        _ progress: (@Sendable (WorkProgress) -> Void)?, _ publish: ((FileDescriptor) throws -> Void)?
    ) throws(ArchiveError) -> Summary {
        var summary = Summary()
        func make(_ file: FileDescriptor) throws {
            summary = try write(old, new, collisions, PatchSink(file, name: patch.path.string), progress: progress)
        }
        if let publish {
            try ReplacementFile.write(EmptyCollection(), to: patch, permissions: .ownerReadWrite) { file in
                try make(file)
                try publish(file)
            }
        } else {
            let rights = SourceRights(of: [old.source, new.source])
            try ReplacementFile.writeKeepingRights(to: patch, madeFrom: rights, make)
        }
        return summary
    }

    /// Refuses other files: writing a patch over one is more often an error than intended.
    private static func checkReplaceable(_ place: FilePlace) throws(ArchiveError) {
        let path = place.path
        guard let status = place.status(followsLinks: true) else { return }
        guard status.isRegular else {
            throw ArchiveError(
                .alreadyExists, "the file is not a regular file; choose another name for the patch", path: path.string)
        }
        let existing = try FileByteSource(path: path)
        guard existing.length > 0 else { return }
        do throws(ArchiveError) {
            _ = try PatchHeader(of: existing)
        } catch {
            guard error.code == .notAnArchive else { return }
            throw ArchiveError(
                .alreadyExists, "the file exists and is not a patch; remove it, or choose another name",
                path: path.string)
        }
    }

    /// Appends the header and the records of all commits that the old archive does not have.
    ///
    /// - Returns: the counts, with the length of the patch.
    private func write(
        _ old: StoredArchive, _ new: StoredArchive, _ collisions: Set<Int>, _ sink: PatchSink,
        progress: (@Sendable (WorkProgress) -> Void)?
    ) throws(ArchiveError) -> Summary {
        let bodies = try OldBodies(old, PatchLimits(old, patchLength: 0, maximumLength: .max))
        let kept = try keptCommits(old, new)
        let layouts = new.layouts
        let header = PatchHeader(
            oldLength: old.committedLength, oldIdentity: try PatchHeader.identity(of: old),
            newLength: new.committedLength, newDigest: try SHA256.digest(of: new.source, new.committedLength),
            keptLength: kept > 0 ? layouts[kept - 1].footer.end : UInt64(FormatLimits.headerLength),
            archiveHeader: try new.source.bytes(at: 0, count: FormatLimits.headerLength),
            commitCount: UInt32(layouts.count - kept), isPortable: options.isPortable)
        try sink.append(header.encoded())
        var summary = Summary()
        summary.newLength = header.newLength
        let blocks = (kept..<layouts.count).reduce(UInt64(0)) { $0 + new.commits[$1].blocksLength }
        let meter = ProgressCounter(total: blocks, progress: progress)
        let (template, templates) = (Self.template(old), OldTemplates(bodies))
        let search = OriginSearch(old: bodies, new: new, firstCommit: kept, collisions: collisions)
        let oldBlocks = OldBlocks(old)
        for commit in kept..<layouts.count {
            let differ = CommitDiffer(
                template: template, old: bodies, new: try CommitImage(new, commit), options: options,
                oldBlocks: oldBlocks)
            let counts = try differ.run(sink, templates, search, progress: meter.add)
            summary.sameBodies += counts.sameBodies
            summary.changedBodies += counts.changedBodies
            summary.newBodies += counts.newBodies
            summary.literalLength += counts.literalLength
        }
        meter.finish()
        try sink.flush()
        summary.patchLength = sink.length
        return summary
    }

    /// Returns the number of the commit with most entries, the later of equals.
    private static func template(_ old: StoredArchive) -> Int {
        let counts = old.commits.map(\.entryCount)
        let most = counts.max() ?? 0
        return counts.lastIndex(of: most) ?? 0
    }

    /// Returns the number of commits at the beginning of both archives that are equal, byte for byte.
    private func keptCommits(_ old: StoredArchive, _ new: StoredArchive) throws(ArchiveError) -> Int {
        var kept = 0
        for (one, other) in zip(old.layouts, new.layouts) {
            guard one.footer == other.footer, one.sections == other.sections,
                try Self.areEqual(old.source, new.source, one.footer.commitStart..<one.footer.end)
            else { break }
            kept += 1
        }
        return kept
    }

    /// Returns whether two files have the same bytes in a range, comparing a mebibyte at a time.
    private static func areEqual(
        _ one: any ByteSource, _ other: any ByteSource, _ range: Range<UInt64>
    ) throws(ArchiveError) -> Bool {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
            let count = Int(min(range.upperBound - start, 1 << 20))
            guard try one.bytes(at: start, count: count) == other.bytes(at: start, count: count) else { return false }
        }
        return true
    }
}
