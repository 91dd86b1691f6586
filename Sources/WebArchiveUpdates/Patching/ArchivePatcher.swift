// SPDX-License-Identifier: Apache-2.0

import Crypto
public import SystemPackage
public import WebArchive
import WebArchiveFormat

/// A patcher that makes a new edition of an archive from the old one and a patch of ``ArchiveDiffer``.
///
/// The result is proved to be the new archive byte for byte before it gets its name; a run that ends early leaves the previous file. Nothing
/// in a patch is trusted: memory is in proportion to its own length and that of the old archive.
///
/// ```swift
/// try ArchivePatcher(from: "notes-1.webarc", patch: "notes-2.webarcpatch").run(into: "notes-2.webarc")
/// ```
public struct ArchivePatcher: Sendable {
    /// The counts of a run.
    public struct Summary: Sendable {
        /// The length of the new archive, in bytes.
        public var newLength: UInt64 = 0
        /// The length of the patch, in bytes.
        public var patchLength: UInt64 = 0
    }

    /// The archive for which the patch was made.
    public let old: FilePath
    /// The patch.
    public let patch: FilePath
    /// The keys that must have signed the new archive; nil, the default, for none.
    public var trust: ArchiveTrust?
    /// The number of threads, at least 1. At most four of them process contents, which bounds memory.
    public var threads = 1
    /// The maximum length of the new archive, and of the decoded blocks that the patch describes; nil, the default, for 256 MiB, twice the
    /// length of the old archive and of its decoded blocks, and 100 times the length of the patch, together. Patch specification section 6.
    public var maximumLength: UInt64?

    /// Creates a patcher. It reads nothing yet.
    ///
    /// - Parameters:
    ///   - old: an archive.
    ///   - patch: a patch.
    ///   - trust: nil by default.
    public init(from old: FilePath, patch: FilePath, trust: ArchiveTrust? = nil) {
        (self.old, self.patch, self.trust) = (old, patch, trust)
    }

    /// Makes the new archive.
    ///
    /// It costs a reading of the parts that the new archive takes from the old one, and compressing changed ones.
    ///
    /// - Parameters:
    ///   - target: the file of the new archive, which may be the old one; an archive of the name is replaced.
    ///   - progress: a function that is called now and then with the bytes that are written, from any thread.
    /// - Throws: `changed` if the patch was made for a different archive, before anything is written; `notAnArchive` for a file that is not a patch;
    ///   `damaged` or `truncated` for a damaged patch or archive, and for a patch that is not portable if LZ4 writes other bytes; `untrusted`
    ///   if the keys did not sign the new archive; `limitExceeded` for a patch that produces more than ``maximumLength``, or reads the old archive
    ///   repeatedly; `invalidArgument` if an input has the temporary name of the target; `alreadyExists` if the target exists and is not an archive; `locked`, `io`.
    @discardableResult
    public func run(
        into target: FilePath, progress: (@Sendable (WorkProgress) -> Void)? = nil
    ) throws(ArchiveError) -> Summary {
        let source = try FileByteSource(path: patch)
        let header = try PatchHeader(of: source)
        // The lock comes first: otherwise commits that another writer appended would be lost when the new archive replaces the old one.
        let opened = try ArchiveFile.open(old)
        let file = try WholeArchiveFile(replacing: target, madeFrom: SourceRights(of: [opened, source]))
        defer { file.cancel() }
        try make(
            from: ArchiveFile.open(old, again: opened), source, header,
            into: PatchedFile(file.descriptor, path: target, name: file.partial, limit: header.newLength),
            progress: progress)
        try file.commit()
        return Summary(newLength: header.newLength, patchLength: source.length)
    }

    /// Makes the new archive in an open file, and proves it. The paths of the patcher are only for messages.
    ///
    /// - Parameters:
    ///   - opened: the old archive.
    ///   - source: the patch.
    ///   - header: the header of the patch.
    /// - Throws: as ``run(into:progress:)``.
    func make(
        from opened: any ByteSource, _ source: FileByteSource, _ header: PatchHeader, into output: PatchedFile,
        progress: (@Sendable (WorkProgress) -> Void)? = nil
    ) throws(ArchiveError) {
        let old = StoredArchive(try ArchiveReader(source: opened))
        guard old.layouts.last?.footer.end == header.oldLength, try PatchHeader.identity(of: old) == header.oldIdentity
        else {
            throw ArchiveError(
                .changed, "the patch \(patch) was made from a different archive", path: self.old.string)
        }
        do throws(ArchiveError) {
            let limits = PatchLimits(old, patchLength: source.length, maximumLength: maximumLength)
            try limits.check(newLength: header.newLength)
            try write(
                header, OldBodies(old, limits), PatchInput(source, at: UInt64(PatchHeader.length)), to: output,
                progress: progress)
        } catch {
            // The errors of the old archive have its path.
            guard error.path ?? patch.string == patch.string, error.code == .damaged, error.recovery == nil else {
                throw error.at(path: patch.string)
            }
            throw ArchiveError(
                .damaged, error.message, path: patch.string, offset: error.offset, recovery: .copyAgain)
        }
        try check(output, header)
    }

    /// Writes the bytes that both archives share, and the commits of the records after them.
    ///
    /// - Throws: `damaged` unless the records end with the patch and produce the length that its header states.
    private func write(
        _ header: PatchHeader, _ old: OldBodies, _ input: PatchInput, to output: PatchedFile,
        progress: (@Sendable (WorkProgress) -> Void)?
    ) throws(ArchiveError) {
        var input = input
        try output.append(header.archiveHeader)
        var position = UInt64(FormatLimits.headerLength)
        while position < header.keptLength {
            let count = Int(min(header.keptLength - position, 1 << 20))
            try output.append(old.stored.source.bytes(at: position, count: count))
            position += UInt64(count)
        }
        let meter = ProgressCounter(total: header.newLength, progress: progress)
        let templates = OldTemplates(old)
        for _ in 0..<header.commitCount {
            try CommitPatcher(
                old: old, templates: templates, output: output,
                fullLength: 1 << Int(header.archiveHeader[13] & 31),
                threads: threads
            ).run(&input, progress: meter.add)
        }
        guard output.length == header.newLength else {
            throw .damaged("the patch produces \(output.length) bytes, expected \(header.newLength)")
        }
        guard input.isAtEnd else {
            throw .damaged("\(input.remaining) trailing bytes after the last record of the patch")
        }
        try output.flush()
        meter.finish()
    }

    /// Proves that the file is the new archive.
    private func check(_ output: PatchedFile, _ header: PatchHeader) throws(ArchiveError) {
        let source = try output.contents()
        guard try SHA256.digest(of: source) == header.newDigest else {
            throw ArchiveError(
                .damaged,
                "the patch does not produce the archive that its header names; it is damaged, or it is not portable and this "
                    + "machine has a different version of LZ4", path: patch.string)
        }
        guard let trust else { return }
        let archive = try ArchiveReader(source: source, trust: trust.withoutRecording)
        guard archive.untrustedCommitCount == 0, try SignedParts(archive).verify(threads: threads) else {
            throw ArchiveError(.untrusted, "the patched archive is not signed by the trusted keys", path: patch.string)
        }
    }
}
