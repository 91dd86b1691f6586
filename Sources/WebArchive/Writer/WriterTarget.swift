// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchiveFormat

/// The file that a writer writes to, and the order in which a commit reaches the disk. Specification section 9.
struct WriterTarget {
    /// The file that is being written: that of the lock for a new archive, the archive itself when appending.
    let file: SequentialWriter
    /// The existing archive, when appending; nil for a new one.
    let base: ArchiveReader?
    /// The offset of the first byte of the commit: 96 in a new archive.
    let commitStart: UInt64
    /// The new archive; nil when appending.
    private let whole: WholeArchiveFile?
    /// The archive that is appended to, and its lock; nil for a new one.
    private let appended: (archive: LockedArchive, lock: Boxed<WriterLock>)?

    /// Starts a new archive beside its name, and writes its header.
    ///
    /// - Throws: `locked`, `alreadyExists`, `changed` or `io`.
    init(
        creating path: FilePath, blockExponent: UInt8, madeFrom sources: SourceRights = SourceRights()
    ) throws(ArchiveError) {
        guard FormatLimits.blockExponents.contains(blockExponent) else {
            throw ArchiveError(
                .invalidArgument, "the block exponent \(blockExponent) is not from 12 to 20", path: path.string)
        }
        let whole = try WholeArchiveFile(replacing: path, madeFrom: sources)
        (self.whole, appended, base) = (whole, nil, nil)
        commitStart = UInt64(FormatLimits.headerLength)
        file = SequentialWriter(whole.descriptor, at: 0, name: path.string)
        try file.append(ArchiveHeader(blockExponent: blockExponent).encoded())
    }

    /// Returns the error for a name that now leads to a different file.
    static func replaced(_ path: FilePath) -> ArchiveError {
        ArchiveError(.changed, "another program replaced the archive; try again", path: path.string)
    }

    /// The archive that a new one replaces.
    var former: FileNumber? { (whole?.former ?? appended?.archive)?.number }

    /// Starts a commit after the last whole one, and writes the recovery slot of section 3 to disk.
    ///
    /// - Parameter sources: the files that are read, of which none may have the name of the lock.
    /// - Throws: as ``ArchiveWriter/init(appendingTo:options:)-(FilePath,_)``.
    init(appendingTo path: FilePath, reading sources: SourceRights = SourceRights()) throws(ArchiveError) {
        let place = try FilePlace(following: path)
        let path = place.path
        try PartName.refuse(path)
        let lock = Boxed(try WriterLock(archive: place, sources))
        do throws(ArchiveError) {
            let locked = try LockedArchive(appendingTo: place)
            let reader = try ArchiveReader(path: path)
            guard reader.fileNumber == locked.number else { throw Self.replaced(path) }
            guard let last = reader.index.commits.last?.footer else {
                throw .damaged("the archive has no whole commit")
            }
            guard last.commitNumber + 1 < FormatLimits.maximumCommitCount else {
                throw ArchiveError(
                    .limitExceeded, "the archive has the maximum of 1,024 commits", path: path.string,
                    recovery: .compactFirst)
            }
            if let error = StoredArchive(reader).lastCommitDamage {
                throw .damaged("\(error.message); appending would discard it", offset: error.offset)
            }
            base = reader
            commitStart = last.end
            (whole, appended) = (nil, (locked, lock))
            file = SequentialWriter(
                locked.descriptor, at: last.end, name: path.string, guardLength: FormatLimits.footerLength)
            let slot = RecoverySlot(footerOffset: last.offset, commitNumber: last.commitNumber)
            try file.overwrite(at: RecoverySlot.offset(beforeCommit: last.commitNumber + 1), slot.encoded())
            // Cuts off a torn tail as well, which only now is safe: the slot leads to the commit before it.
            try file.synchronise()
        } catch {
            lock.value.remove()
            throw error.at(path: path.string)
        }
    }

    /// Writes section table and footer, and makes the commit visible.
    ///
    /// - Throws: `io`, `limitExceeded`, `poisoned` or `changed`.
    func finish(_ sections: SectionTable) throws(ArchiveError) {
        let footer = footer(sections, sectionTableOffset: file.position)
        try file.append(sections.encoded())
        // A new archive is invisible until it has its name, so one wait is enough for it.
        if base != nil { try file.synchronise() }
        try file.append(footer.encoded())
        try file.synchronise(isEnd: true)
        if let whole {
            try whole.rename()
        } else {
            TemporaryFiles.noteFinished(FilePath(file.name))
            // Without it the commit is whole as well, as long as no bytes follow it.
            let slot = RecoverySlot(footerOffset: footer.offset, commitNumber: footer.commitNumber)
            try? file.overwrite(at: RecoverySlot.offset(beforeCommit: footer.commitNumber + 1), slot.encoded())
            release()
        }
    }

    /// Creates the footer of a commit whose section table begins at an offset.
    func footer(_ sections: SectionTable, sectionTableOffset: UInt64) -> CommitFooter {
        let table = sections.encoded()
        let last = base?.index.commits.last?.footer
        return CommitFooter(
            offset: sectionTableOffset + UInt64(table.count), previousFooter: last?.offset ?? 0,
            commitNumber: last.map { $0.commitNumber + 1 } ?? 0,
            sectionCount: UInt32(sections.sections.count), commitStart: commitStart,
            sectionTableChecksum: Checksum.of(table))
    }

    /// Leaves the previous state.
    func abandon() {
        if base != nil { file.abandon(backTo: commitStart) }
        release()
    }

    private func release() {
        whole?.cancel()
        appended?.lock.value.remove()
        appended?.archive.unlock()
    }
}
