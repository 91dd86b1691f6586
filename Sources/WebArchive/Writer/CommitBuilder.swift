// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

/// A builder of one commit: appends blocks to the file, collects the rows of the index, and writes the index after the blocks.
///
/// The packer, the compactor and the recorder use it below ``ArchiveWriter``. A builder serves one thread. Specification sections 9 and 11.
package final class CommitBuilder {
    package typealias BodyReference = ArchiveWriter.BodyReference
    package typealias EntryReference = ArchiveWriter.EntryReference

    /// The options of the writer.
    package let options: ArchiveWriter.Options
    /// The decoded length of a full block, in bytes: that of an existing archive when appending.
    package let blockLength: Int
    /// The path of the archive.
    let path: FilePath
    /// The file that is being written, positioned after the bytes written so far.
    let file: SequentialWriter
    /// The existing archive, when appending.
    let base: ArchiveReader?
    /// The existing archive with one budget for all comparisons with its entries.
    private(set) lazy var limitedBase = base?.limitedToOnePass()
    lazy var earlierKeys = base.map { EarlierKeys($0.index) }
    /// The entries of earlier commits for the URL that was last looked up.
    var lastCaptures: (url: CanonicalURL, entries: [ArchiveEntry])?
    /// The bodies that can be found again.
    let bodies: BodyStore
    /// The rows of the commit.
    var draft: IndexDraft
    /// The compressor of this thread.
    let compressor: BlockCompressor
    private var target: WriterTarget
    private var isFinished = false

    /// Starts a new archive, which gets its name with ``commit()``; an archive of that name is then replaced.
    ///
    /// - Parameter sources: the rights of the archives from which it is made; those of none by default.
    /// - Throws: `locked`, `alreadyExists` if a file of that name is not an archive, `changed`, or `io`.
    package convenience init(
        creating path: FilePath, options: ArchiveWriter.Options = ArchiveWriter.Options(),
        madeFrom sources: SourceRights = SourceRights()
    ) throws(ArchiveError) {
        try self.init(
            path, options,
            WriterTarget(creating: path, blockExponent: options.blockExponent, madeFrom: sources))
    }

    /// Starts a new commit of an archive.
    ///
    /// - Parameter sources: the files that are read for it; none by default.
    /// - Throws: errors of opening an archive; `damaged` if its last commit was whole once and is not any more;
    ///   `limitExceeded` for more than 1,024 commits; `locked`, `changed` or `io`. `changed` as well if the archive is not any
    ///   more as it was examined.
    package convenience init(
        appendingTo path: FilePath, options: ArchiveWriter.Options = ArchiveWriter.Options(),
        reading sources: SourceRights = SourceRights()
    ) throws(ArchiveError) {
        try self.init(path, options, WriterTarget(appendingTo: path, reading: sources))
        guard let examined = options.examined else { return }
        guard let base, base.fileNumber == examined.fileNumber, base.fileLength == examined.fileLength else {
            cancel()
            throw ArchiveError(.changed, "the archive changed after it was verified; try again", path: path.string)
        }
    }

    private init(_ path: FilePath, _ options: ArchiveWriter.Options, _ target: WriterTarget) throws(ArchiveError) {
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

    /// The archive that a new one replaces, locked; nil if there is none.
    var former: FileNumber? { target.former }

    deinit { if !isFinished { target.abandon() } }

    /// Cancels the commit: the previous archive stays. It has no effect after ``commit()``.
    package func cancel() {
        guard !isFinished else { return }
        isFinished = true
        target.abandon()
    }

    /// Makes all additions visible, all at once, after they have reached the disk.
    ///
    /// A commit without additions writes nothing, unless it would be the first one, or is signed.
    ///
    /// - Throws: `io`, `limitExceeded`, `poisoned`, `changed`.
    package func commit() throws(ArchiveError) {
        try checkUnfinished()
        let isEmpty = base != nil && draft.isEmpty
        if isEmpty, options.signing == nil {
            cancel()
            return
        }
        do throws(ArchiveError) {
            let signer = try options.signing.mapTyped { signing throws(ArchiveError) in
                try CommitSigner(signing, base: base)
            }
            var sections = isEmpty ? SectionTable() : try writeSections()
            try signer?.sign(
                &sections, in: file,
                blocks: (0..<draft.blocks.count).map { target.commitStart + draft.blocks[$0].offset }
            ) { target.footer($0, sectionTableOffset: $1) }
            try target.finish(sections)
            isFinished = true
        } catch {
            cancel()
            throw error
        }
    }

    /// Writes the remaining blocks, and the index.
    private func writeSections() throws(ArchiveError) -> SectionTable {
        try storeDictionaries()
        var sections = SectionTable()
        try sections.append(section(.blocks, from: target.commitStart))
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
        return sections
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

    /// Checks that additions are permitted.
    ///
    /// - Throws: `poisoned` after ``commit()`` or ``cancel()``.
    func checkUnfinished() throws(ArchiveError) {
        guard !isFinished else { throw ArchiveError(.poisoned, "the writer has finished", path: path.string) }
    }
}
