// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// A writer of a new archive, or of a commit that is appended to one: bodies first, then the entries that use them, then ``commit()``.
///
/// Until `commit` returns, nothing of it can be seen: a new archive is written beside its name, and an appended commit is not
/// there before its footer is. A writer that is given up, or whose process is killed, leaves what was there before. After an I/O error the writer is
/// poisoned. One writer serves one thread. Specification sections 9 and 11.
public final class ArchiveWriter {
    /// The options of a writer.
    public struct Options: Sendable {
        /// The level at which bodies are compressed.
        public var level: CompressionLevel
        /// The length of a full block, decoded: 2 to the power of this, in bytes; 12 to 20. An archive that is appended to keeps its own.
        public var blockExponent: UInt8

        /// The exponent of blocks of 256 KiB.
        public static let standardBlockExponent: UInt8 = FormatLimits.defaultBlockExponent

        /// Creates options; the defaults are those of `webarc pack`.
        public init(level: CompressionLevel = .standard, blockExponent: UInt8 = standardBlockExponent) {
            self.level = level
            self.blockExponent = blockExponent
        }
    }

    /// A body that the archive holds, or will hold with this commit.
    public struct BodyReference: Hashable, Sendable {
        /// Through all commits, from 1, in the order in which bodies were added.
        package let number: UInt32
        /// The digest of the body.
        public let digest: ContentDigest
        /// The length of the body, in bytes.
        public let length: UInt64
    }

    /// An entry that was added.
    public struct EntryReference: Sendable {
        let number: Int
        /// Set for an entry of an earlier commit, which has no number in this one.
        var earlier: ArchiveEntry?

        package var isEarlier: Bool { earlier != nil }
    }

    package let options: Options
    package let blockLength: Int
    let path: FilePath
    let file: SequentialWriter
    /// The archive as it was, when appending.
    let base: ArchiveReader?
    /// The same with one budget for all comparisons with its entries.
    private(set) lazy var limitedBase = base?.limitedToOnePass()
    let bodies: BodyStore
    var draft: IndexDraft
    let compressor: BlockCompressor
    private var target: WriterTarget
    private var isFinished = false

    /// Starts a new archive, which gets its name with ``commit()``; an archive of that name is then replaced.
    ///
    /// - Throws: `locked`, `alreadyExists` if a file of that name is no archive, or `io`.
    public convenience init(creating path: FilePath, options: Options = Options()) throws(ArchiveError) {
        try self.init(path, options, WriterTarget(creating: path, blockExponent: options.blockExponent))
    }

    /// Starts a new commit of an archive.
    ///
    /// - Throws: what opening an archive throws; `damaged` if its last commit was whole once and is not any more;
    ///   `limitExceeded` for more than 1,024 commits; `locked` or `io`.
    public convenience init(appendingTo path: FilePath, options: Options = Options()) throws(ArchiveError) {
        try self.init(path, options, WriterTarget(appendingTo: path))
    }

    private init(_ path: FilePath, _ options: Options, _ target: WriterTarget) throws(ArchiveError) {
        self.path = path
        self.options = options
        self.target = target
        base = target.base
        file = target.file
        blockLength = 1 << Int(target.base?.index.header.blockExponent ?? options.blockExponent)
        draft = IndexDraft { owner in UInt32(target.base?.index.rowCount(owner) ?? 0) }
        bodies = BodyStore(file: file, base: base)
        compressor = BlockCompressor(level: options.level)
    }

    deinit { if !isFinished { target.abandon() } }

    /// Gives up: what was there before stays as it was.
    public func cancel() {
        guard !isFinished else { return }
        isFinished = true
        target.abandon()
    }

    /// Makes everything that was added visible, all at once, after it has reached the disk.
    ///
    /// A commit to which nothing was added writes nothing, unless it would be the first one.
    ///
    /// - Throws: `io`, `limitExceeded`, `poisoned`.
    public func commit() throws(ArchiveError) {
        try checkUnfinished()
        if base != nil, draft.isEmpty {
            cancel()
            return
        }
        do throws(ArchiveError) {
            try storeDictionaries()
            var sections = SectionTable()
            let start = target.commitStart
            try sections.append(section(.blocks, from: start))
            let indexStart = file.position
            var encoder = IndexEncoder(draft, into: file)
            let (sums, classes) = try encoder.encode()
            try sections.append(section(.index, from: indexStart))
            let sumsStart = file.position
            try file.append(sums)
            try sections.append(section(.indexSums, from: sumsStart))
            let classesStart = file.position
            try file.append(classes)
            try sections.append(section(.classes, from: classesStart, checksum: Checksum.of(classes)))
            try target.finish(sections)
            isFinished = true
        } catch {
            cancel()
            throw error
        }
    }

    private func section(
        _ kind: SectionTable.Kind, from start: UInt64, checksum: UInt32 = 0
    ) throws(ArchiveError) -> SectionTable.Section {
        SectionTable.Section(
            kind: kind, isRequired: true,
            extent: try FileExtent(
                offset: start, length: file.position - start, within: FormatLimits.maximumFileLength),
            checksum: checksum)
    }

    func checkUnfinished() throws(ArchiveError) {
        guard !isFinished else { throw ArchiveError(.poisoned, "the writer has finished", path: path.string) }
    }
}
