// SPDX-License-Identifier: Apache-2.0

public import SystemPackage
public import WebArchive

/// Folds the commits of an archive into one: all captures stay, and what no entry can reach any more goes.
///
/// Blocks are copied as they are stored, each after a look at its checksum. The new archive is written beside its name and renamed, under the
/// writer's lock, so a run that ends early leaves the archive as it was.
public struct ArchiveCompactor: Sendable {
    public let archive: FilePath
    public let target: FilePath

    /// Compacts in place, unless a target is given.
    public init(_ archive: FilePath, into target: FilePath? = nil) {
        self.archive = archive
        self.target = target ?? archive
    }

    /// Compacts. An archive of one commit without a torn tail that is to be compacted in place is left alone.
    ///
    /// - Parameter progress: called now and then with the bytes of blocks and the entries that were copied.
    /// - Throws: `damaged` where the archive is, `locked` if another writer is at work, `alreadyExists` if the target is a file that is
    ///   no archive, and what opening an archive throws.
    public func run(
        progress: (@Sendable (PackingProgress) -> Void)? = nil
    ) throws(ArchiveError) -> CompactingSummary {
        do throws(ArchiveError) {
            return try compact(progress)
        } catch {
            throw error.at(path: archive.string)
        }
    }

    private func compact(
        _ progress: (@Sendable (PackingProgress) -> Void)?
    ) throws(ArchiveError) -> CompactingSummary {
        // Refuses what is no archive before anything is written beside it.
        let exponent = try ArchiveHeader.blockExponent(ofArchive: archive)
        let writer = try ArchiveWriter(creating: target, options: ArchiveWriter.Options(blockExponent: exponent))
        defer { writer.cancel() }
        // Opened under the lock: in place, nobody appends from here on.
        let source = try FileByteSource(path: archive)
        let reader = try ArchiveReader(source: source)
        var summary = CompactingSummary()
        (summary.commits, summary.entries, summary.lengthBefore) = (
            reader.commitCount, reader.entryCount, source.length
        )
        if reader.commitCount == 1, reader.tornTail == 0, archive == target {
            (summary.bodies, summary.lengthAfter) = (reader.bodyCount, source.length)
            return summary
        }
        try refuseDamagedEnd(source, reader)
        let stored = try StoredArchive(source, openedAs: reader)
        var bodies = BodyCopier(stored, into: writer, progress: CopyingProgress(stored, reader, report: progress))
        try bodies.run()
        var entries = EntryCopier(reader, bodies: bodies)
        try entries.run(metadata: stored.metadataNames())
        try writer.commit()
        summary.bodies = bodies.count
        summary.lengthAfter = try FileByteSource(path: target).length
        return summary
    }

    /// A last commit that was whole once may be mended yet; without it, a compacted archive would make its loss final.
    private func refuseDamagedEnd(_ source: FileByteSource, _ reader: ArchiveReader) throws(ArchiveError) {
        guard reader.tornTail > 0 else { return }
        let signature = CommitFooter.signature
        let place = try FileExtent(
            offset: source.length - UInt64(FormatLimits.footerLength), length: UInt64(signature.count),
            within: source.length)
        let end = try source.read(place)
        guard zip(end, signature).count(where: { $0 == $1 }) * 2 < signature.count else {
            throw ArchiveError(
                .damaged, "the last commit is damaged, and compacting would lose it; see webarc verify",
                path: archive.string, offset: source.length - reader.tornTail)
        }
    }
}

extension ArchiveHeader {
    /// Throws what opening an archive throws.
    fileprivate static func blockExponent(ofArchive path: FilePath) throws(ArchiveError) -> UInt8 {
        do throws(ArchiveError) {
            let source = try FileByteSource(path: path)
            _ = try ArchiveReader(source: source)
            let start = try FileExtent(
                offset: 0, length: UInt64(FormatLimits.headerLength), within: source.length)
            return try ArchiveHeader(decoding: source.read(start)).blockExponent
        } catch {
            throw error.at(path: path.string)
        }
    }
}
