// SPDX-License-Identifier: Apache-2.0

import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A lock that excludes a second writer of an archive. Specification section 9.
///
/// The lock is held on `FILE.partial`, which is also the temporary name of a new archive: so a program that appends to, replaces or compacts
/// `FILE` excludes the others. A file that a killed writer of the same user left behind is replaced by a new one, which no other process has
/// open; any other file under that name is not changed.
///
/// The partial file is never open to more users than the archive that it replaces, for which ``AccessRights`` see.
struct WriterLock: ~Copyable {
    /// The name of the lock: `FILE.partial`.
    let place: FilePlace
    /// The open file under that name, which holds the lock.
    let descriptor: FileDescriptor
    /// The archive that had the name when the lock was taken; nil if there was none.
    let former: FileNumber?
    private let sources: SourceRights

    /// Throws `locked` if another writer has locked the archive, `invalidArgument` if a source has the name of the lock, or `io`.
    ///
    /// - Parameter sources: the rights of the files from which a new archive is made.
    init(archive: FilePlace, _ sources: SourceRights = SourceRights()) throws(ArchiveError) {
        place = archive.with()
        self.sources = sources
        try sources.checkUnused(place)
        while true {
            let (permissions, former) = AccessRights.whileWriting(archive, sources)
            let made = try Self.make(place, permissions)
            var left: FileDescriptor?
            if made == nil { left = try Self.openLeft(place) }
            guard let opened = made ?? left else { continue }
            do throws(ArchiveError) {
                try opened.lockForWriting(archive.path)
            } catch {
                if made != nil { TemporaryFiles.remove(place) }
                try? opened.close()
                throw error
            }
            // Between open and flock the last holder may have renamed or removed the file: then the lock has no effect.
            if Self.isStillThere(opened, place) {
                if made != nil {
                    if former == nil { sources.admitGroup(to: opened) }
                    descriptor = opened
                    self.former = former
                    return
                }
                // Its writer has ended, and the next one notices that the name leads to a different file.
                place.remove()
            }
            try? opened.close()
        }
    }

    /// Creates a new file; nil if the name is in use.
    private static func make(
        _ place: FilePlace, _ permissions: FilePermissions
    ) throws(ArchiveError) -> FileDescriptor? {
        do {
            return try TemporaryFiles.create(place, .readWrite, permissions: permissions)
        } catch {
            if (error as? Errno) == .fileExists { return nil }
            throw failure(place.path, error)
        }
    }

    /// Opens a file that a writer of this user has made; nil if it is missing by now.
    private static func openLeft(_ place: FilePlace) throws(ArchiveError) -> FileDescriptor? {
        let opened: FileDescriptor
        do {
            opened = try place.open(.readWrite)
        } catch {
            if (error as? Errno) == .noSuchFileOrDirectory { return nil }
            throw failure(place.path, error)
        }
        guard FileStatus(of: opened)?.isOwnFile == true else {
            try? opened.close()
            throw ArchiveError(
                .io, "the file is owned by another user or is not a regular file; remove it, or choose another folder",
                path: place.path.string)
        }
        return opened
    }

    private static func failure(_ path: FilePath, _ cause: any Error) -> ArchiveError {
        ArchiveError(.io, "cannot create the file", path: path.string, cause: cause)
    }

    private static func isStillThere(_ descriptor: FileDescriptor, _ place: FilePlace) -> Bool {
        guard let named = place.status() else { return false }
        return FileStatus(of: descriptor)?.number == named.number
    }

    /// Renames the written file permanently: both the file and the folder are synchronised to disk.
    ///
    /// Throws `changed` if a different file has replaced the written one, or `io`.
    ///
    /// - Parameter former: the archive that it replaces, whose ``AccessRights`` it keeps.
    func rename(to archive: FilePlace, like former: LockedArchive? = nil) throws(ArchiveError) {
        guard Self.isStillThere(descriptor, place) else { throw TemporaryFiles.moved(place.path) }
        if let former {
            AccessRights.copy(from: former.descriptor, to: descriptor, in: archive.folder, madeFrom: sources)
        }
        let isRenamed: Bool
        do {
            isRenamed = try TemporaryFiles.rename(place, to: archive)
        } catch {
            throw ArchiveError(.io, "cannot rename the archive", path: archive.path.string, cause: error)
        }
        guard isRenamed else { throw TemporaryFiles.moved(place.path) }
        do {
            try archive.folder.synchronise()
        } catch {
            throw ArchiveError(.io, "cannot flush the folder to disk", path: archive.path.string, cause: error)
        }
        // It is the archive now, which other writers lock.
        _ = flock(descriptor.rawValue, LOCK_UN)
    }

    /// Removes the partial file while the lock is still held.
    func remove() { if Self.isStillThere(descriptor, place) { TemporaryFiles.remove(place) } }

    deinit { try? descriptor.close() }
}
