// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// A joiner of the parts of an archive into one file.
///
/// It first checks the checksums of the index and of all blocks, so that a part of a different archive is found before
/// anything is written. Digests are not computed. Specification section 14.
///
/// ```swift
/// try ArchiveJoiner("site.webarc.001").run()
/// ```
public struct ArchiveJoiner: Sendable {
    /// The first part.
    public let first: FilePath
    /// The archive to write; an existing archive of this name is replaced once the new one is complete.
    public let target: FilePath

    /// Creates a joiner. It reads and writes nothing yet.
    ///
    /// - Parameters:
    ///   - first: the first part, a name that ends in `.001`.
    ///   - target: nil, the default, for the name of the first part without `.001`.
    public init(_ first: FilePath, into target: FilePath? = nil) {
        self.first = first
        self.target = target ?? PartName(first)?.archive ?? first
    }

    /// The result of joining an archive.
    public struct Summary: Sendable {
        /// The number of parts.
        public let parts: Int
        /// The length of the archive, in bytes.
        public let length: UInt64
    }

    /// Joins the parts, which are kept. The archive gets its name when it is complete and on disk.
    ///
    /// - Parameter progress: a function that is called now and then with the bytes of blocks that were checked.
    /// - Returns: the counts.
    /// - Throws: `invalidArgument` if this is not a name of a first part; errors of opening an archive; `damaged` with the path of the
    ///   part; `alreadyExists` if the target is not an archive; `locked`, `changed`, `io`.
    @discardableResult
    public func run(progress: (@Sendable (WorkProgress) -> Void)? = nil) throws(ArchiveError) -> Summary {
        guard let name = PartName(first) else {
            throw ArchiveError(
                .invalidArgument, "not a first part: its name must end in .001", path: first.string)
        }
        guard name.number == 1 else {
            throw ArchiveError(
                .invalidArgument,
                "part \(name.number) of a split archive; its first part is \(name.path(of: 1))",
                path: first.string, recovery: .openFirstPart)
        }
        let reader = try ArchiveReader(path: first)
        let stored = StoredArchive(reader)
        let parts = stored.source as? PartsByteSource
        try check(stored, parts, progress)
        let file = try WholeArchiveFile(replacing: target, madeFrom: SourceRights(of: [stored.source]))
        defer { file.cancel() }
        let length = try file.copy(stored.source)
        guard length == reader.fileLength else {
            throw ArchiveError(.changed, "a part changed while it was copied", path: first.string)
        }
        try file.commit()
        return Summary(parts: parts?.count ?? 1, length: length)
    }

    private func check(
        _ stored: StoredArchive, _ parts: PartsByteSource?, _ report: (@Sendable (WorkProgress) -> Void)?
    ) throws(ArchiveError) {
        if let error = stored.lastCommitDamage { throw Self.explain(error, parts) }
        let progress = CopyingProgress([stored], report: report)
        var run = StoredRun(stored)
        for number in 0..<stored.blockCount {
            let block = try stored.block(number)
            do throws(ArchiveError) {
                try run.withBytes(
                    of: number, block, readsAhead: number + 1 < stored.blockCount
                ) { _ throws(ArchiveError) in }
            } catch {
                throw Self.explain(error, parts, length: block.stored.length)
            }
            progress.add(bytes: block.stored.length)
        }
        try stored.reader.forEachEntry { _ throws(ArchiveError) in
            progress.addEntry()
            return true
        }
    }

    /// Names the damaged parts, since one of them may be a part of a different archive.
    ///
    /// - Parameter length: the length of the damage, in bytes, from the offset of the error on.
    private static func explain(_ error: ArchiveError, _ parts: PartsByteSource?, length: UInt64 = 1) -> ArchiveError {
        guard let offset = error.offset, let parts else { return error }
        let names = parts.paths(ofBytes: offset..<offset.addingSaturated(max(1, length)))
        let others =
            switch names.count {
            case ...1: ""
            case ...4: ", or \(names.dropFirst().joined(separator: ", or "))"
            default: ", or one of the others up to \(names[names.count - 1]),"
            }
        return ArchiveError(
            error.code, "\(error.message); check whether this\(others) is a part of a different archive",
            path: names.first,
            offset: offset, cause: error.cause, recovery: .copyAgain)
    }
}
