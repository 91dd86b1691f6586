// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchiveFormat

/// The file that a writer writes to, and the order in which a commit comes to disk. Specification section 9.
struct WriterTarget {
    /// The file that is written: that of the lock for a new archive, the archive itself when appending.
    let file: SequentialWriter
    /// The archive as it was, when appending; nil for a new one.
    let base: ArchiveReader?
    /// The offset of the first byte of the commit: 96 in a new archive.
    let commitStart: UInt64
    private let path: FilePath
    private let lock: Box<WriterLock>
    /// The archive itself, which is there unless a new one is written.
    private let archive: LockedArchive?

    /// A reference to a value that cannot be copied.
    private final class Box<Value: ~Copyable> {
        let value: Value
        init(_ value: consuming Value) { self.value = value }
    }

    /// Starts a new archive beside its name, and writes its header.
    ///
    /// - Throws: `locked`, `alreadyExists`, `changed` or `io`.
    init(creating path: FilePath, blockExponent: UInt8) throws(ArchiveError) {
        let path = try path.followingTrustedLinks(isNew: true)
        guard FormatLimits.blockExponents.contains(blockExponent) else {
            throw ArchiveError(
                .invalidArgument, "a block exponent of \(blockExponent); it is 12 to 20", path: path.string)
        }
        try Self.checkReplaceable(path)
        self.path = path
        lock = Box(try WriterLock(archive: path))
        do throws(ArchiveError) {
            archive = try LockedArchive(replacing: path)
            guard archive?.number == lock.value.former else { throw Self.replaced(path) }
        } catch {
            lock.value.remove()
            throw error
        }
        base = nil
        commitStart = UInt64(FormatLimits.headerLength)
        file = SequentialWriter(lock.value.descriptor, at: 0, name: path.string)
        try file.append(ArchiveHeader(blockExponent: blockExponent).encoded())
    }

    /// An error for a name that leads to another file now.
    static func replaced(_ path: FilePath) -> ArchiveError {
        ArchiveError(.changed, "another program replaced the archive meanwhile; try again", path: path.string)
    }

    /// The archive that a new one replaces.
    var former: FileNumber? { archive?.number }

    /// Writing an archive over some other file is a slip of the hand more often than a wish.
    private static func checkReplaceable(_ path: FilePath) throws(ArchiveError) {
        guard FileStatus(of: path)?.kind != .folder else {
            throw ArchiveError(.alreadyExists, "a folder has this name; choose another name", path: path.string)
        }
        let existing: FileByteSource
        do throws(ArchiveError) {
            existing = try FileByteSource(path: path)
        } catch {
            if error.cause as? Errno == .noSuchFileOrDirectory { return }
            throw error
        }
        guard existing.length > 0 else { return }
        do throws(ArchiveError) {
            _ = try ArchiveHeader(of: existing)
        } catch {
            guard error.code == .notAnArchive else { return }
            let name = try ForeignFormat(of: existing)?.name ?? "a file that is not an archive"
            throw ArchiveError(
                .alreadyExists, "\(name) has this name; remove it, or choose another name", path: path.string)
        }
    }

    /// Starts a commit behind the last whole one, and brings the recovery slot of section 3 to disk.
    ///
    /// - Throws: as ``ArchiveWriter/init(appendingTo:options:)-(FilePath,_)``.
    init(appendingTo path: FilePath) throws(ArchiveError) {
        let path = try path.followingTrustedLinks()
        self.path = path
        lock = Box(try WriterLock(archive: path))
        do throws(ArchiveError) {
            let locked = try LockedArchive(appendingTo: path)
            let reader = try ArchiveReader(path: path)
            guard reader.fileNumber == locked.number else { throw Self.replaced(path) }
            guard let last = reader.index.commits.last?.footer else { throw .damaged("no commit") }
            guard last.commitNumber + 1 < FormatLimits.maximumCommitCount else {
                throw ArchiveError(
                    .limitExceeded, "1024 commits; run webarc compact first", path: path.string)
            }
            if let error = StoredArchive(reader).lastCommitDamage {
                throw .damaged("\(error.message), and would be lost; see webarc verify", offset: error.offset)
            }
            base = reader
            commitStart = last.end
            archive = locked
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
        if base == nil {
            try lock.value.rename(to: path, like: archive)
            archive?.unlock()
        } else {
            // Without it the commit is whole as well, as long as nothing comes to stand behind it.
            let slot = RecoverySlot(footerOffset: footer.offset, commitNumber: footer.commitNumber)
            try? file.overwrite(at: RecoverySlot.offset(beforeCommit: footer.commitNumber + 1), slot.encoded())
            release()
        }
    }

    /// Makes the footer of a commit whose section table begins at an offset.
    func footer(_ sections: SectionTable, sectionTableOffset: UInt64) -> CommitFooter {
        let table = sections.encoded()
        let last = base?.index.commits.last?.footer
        return CommitFooter(
            offset: sectionTableOffset + UInt64(table.count), previousFooter: last?.offset ?? 0,
            commitNumber: last.map { $0.commitNumber + 1 } ?? 0,
            sectionCount: UInt32(sections.sections.count), commitStart: commitStart,
            sectionTableChecksum: Checksum.of(table))
    }

    /// Leaves what was there before.
    func abandon() {
        if base != nil { file.abandon(backTo: commitStart) }
        release()
    }

    private func release() {
        lock.value.remove()
        archive?.unlock()
    }
}
