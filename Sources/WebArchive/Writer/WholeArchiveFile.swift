// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An archive that is written from bytes, not from entries: beside its name, under the writer's lock, and renamed when it is complete.
///
/// A process that ends before ``commit()`` leaves the previous file. Specification section 9.
package final class WholeArchiveFile {
    /// The open file, initially empty.
    package let descriptor: FileDescriptor
    /// The name of the file until it is complete.
    package var partial: FilePath { lock.value.place.path }
    /// The archive with the name; nil if there is none.
    let former: LockedArchive?
    private let place: FilePlace
    private let lock: Boxed<WriterLock>
    private var isFinished = false

    /// Starts a file that replaces an archive, or creates one.
    ///
    /// - Parameters:
    ///   - isArchive: a function that returns whether the file to which links lead is known to be an archive, though it may be too damaged to
    ///     show it; by default none is.
    ///   - sources: the rights of the files from which the archive is made; those of none by default.
    /// - Throws: `alreadyExists` for a file that is not an archive, `locked` if another writer has locked it, `changed` if another program
    ///   replaces the archive meanwhile, `io`.
    package init(
        replacing path: FilePath, isArchive: (FilePath) -> Bool = { _ in false },
        madeFrom sources: SourceRights = SourceRights()
    ) throws(ArchiveError) {
        let place = try FilePlace(following: path, isNew: true)
        try PartName.refuse(place.path)
        if !isArchive(place.path) { try Self.checkReplaceable(place.path) }
        self.place = place
        let lock = Boxed(try WriterLock(archive: place, sources))
        do throws(ArchiveError) {
            former = try LockedArchive(replacing: place)
            guard former?.number == lock.value.former else { throw WriterTarget.replaced(place.path) }
        } catch {
            lock.value.remove()
            throw error
        }
        self.lock = lock
        descriptor = lock.value.descriptor
    }

    /// Refuses other files: writing an archive over one is more often an error than intended.
    private static func checkReplaceable(_ path: FilePath) throws(ArchiveError) {
        guard FileStatus(of: path)?.kind != .folder else {
            throw ArchiveError(.alreadyExists, "a folder exists at this path; choose another name", path: path.string)
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
                .alreadyExists, "\(name) exists at this path; remove it, or choose another name", path: path.string)
        }
    }

    deinit { cancel() }

    /// Writes bytes at a given offset.
    package func write(_ bytes: [UInt8], at offset: UInt64) throws(ArchiveError) {
        try descriptor.writeAll(bytes, at: offset, path: place.path)
    }

    /// Fills the empty file with the bytes of an open archive in files.
    ///
    /// - Returns: the length, in bytes.
    /// - Throws: `changed` for a part that was replaced since the archive was opened, `io`.
    @discardableResult
    package func copy(_ other: any ByteSource) throws(ArchiveError) -> UInt64 {
        do {
            try ArchiveCopy.append(other, to: descriptor)
            return UInt64(try descriptor.seek(offset: 0, from: .end))
        } catch {
            throw error as? ArchiveError ?? ArchiveError(.io, "cannot copy", path: other.name, cause: error)
        }
    }

    /// Returns a source of the bytes that were written so far, also if another file has the name by now.
    ///
    /// - Parameter name: the name for messages; the temporary one by default.
    /// - Throws: `io`.
    package func contents(named name: FilePath? = nil) throws(ArchiveError) -> FileByteSource {
        try FileByteSource(of: descriptor, name: name ?? partial)
    }

    /// Renames the file, when its bytes are on disk.
    ///
    /// - Throws: `changed` if the file was moved or removed while it was written; `io`.
    package func commit() throws(ArchiveError) {
        guard fsync(descriptor.rawValue) == 0 else {
            throw ArchiveError(
                .io, "cannot flush the archive to disk", path: place.path.string, cause: Errno(rawValue: errno))
        }
        try rename()
    }

    /// Renames the file. Its bytes must be on disk.
    func rename() throws(ArchiveError) {
        try lock.value.rename(to: place, like: former)
        isFinished = true
        former?.unlock()
    }

    /// Cancels, and removes the written file. It has no effect after ``commit()``.
    package func cancel() {
        guard !isFinished else { return }
        isFinished = true
        lock.value.remove()
        former?.unlock()
    }
}

/// A reference to a value that cannot be copied.
final class Boxed<Value: ~Copyable> {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
}
