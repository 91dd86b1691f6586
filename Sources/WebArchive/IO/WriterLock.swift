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
    /// The path of the lock: `FILE.partial`.
    let path: FilePath
    /// The open file under that name, which holds the lock.
    let descriptor: FileDescriptor
    /// The archive that had the name when the lock was taken; nil if there was none.
    let former: FileNumber?
    private let sources: SourceRights

    /// Throws `locked` if another writer has locked the archive, `invalidArgument` if a source has the name of the lock, or `io`, also for a
    /// folder of the path that is a link of another user.
    ///
    /// - Parameter sources: the rights of the files from which a new archive is made.
    init(archive: FilePath, _ sources: SourceRights = SourceRights()) throws(ArchiveError) {
        path = FilePath(archive.string + ".partial")
        self.sources = sources
        try archive.checkFolders()
        try sources.checkUnused(path)
        while true {
            let (permissions, former) = AccessRights.whileWriting(archive, sources)
            let made = try Self.make(path, permissions)
            var left: FileDescriptor?
            if made == nil { left = try Self.openLeft(path) }
            guard let opened = made ?? left else { continue }
            do throws(ArchiveError) {
                try opened.lockForWriting(archive)
            } catch {
                if made != nil { TemporaryFiles.remove(path) }
                try? opened.close()
                throw error
            }
            // Between open and flock the last holder may have renamed or removed the file: then the lock has no effect.
            if Self.isStillThere(opened, path) {
                if made != nil {
                    if former == nil { sources.admitGroup(to: opened) }
                    descriptor = opened
                    self.former = former
                    return
                }
                // Its writer has ended, and the next one notices that the name leads to a different file.
                unlink(path.string)
            }
            try? opened.close()
        }
    }

    /// Creates a new file; nil if the name is in use.
    private static func make(_ path: FilePath, _ permissions: FilePermissions) throws(ArchiveError) -> FileDescriptor? {
        do {
            return try TemporaryFiles.create(path, .readWrite, permissions: permissions)
        } catch {
            if (error as? Errno) == .fileExists { return nil }
            throw failure(path, error)
        }
    }

    /// Opens a file that a writer of this user has made; nil if it is missing by now.
    private static func openLeft(_ path: FilePath) throws(ArchiveError) -> FileDescriptor? {
        let opened: FileDescriptor
        do {
            // Opening a pipe would block until another process writes into it.
            opened = try FileDescriptor.open(path, .readWrite, options: [.closeOnExec, .noFollow, .nonBlocking])
        } catch {
            if (error as? Errno) == .noSuchFileOrDirectory { return nil }
            throw failure(path, error)
        }
        guard FileStatus(of: opened)?.isOwnFile == true else {
            try? opened.close()
            throw ArchiveError(
                .io, "the file is owned by another user or is not a regular file; remove it, or choose another folder",
                path: path.string)
        }
        return opened
    }

    private static func failure(_ path: FilePath, _ cause: any Error) -> ArchiveError {
        ArchiveError(.io, "cannot create the file", path: path.string, cause: cause)
    }

    private static func isStillThere(_ descriptor: FileDescriptor, _ path: FilePath) -> Bool {
        guard let named = FileStatus(of: path, followsLinks: false) else { return false }
        return FileStatus(of: descriptor)?.number == named.number
    }

    /// Renames the written file permanently: both the file and the folder are synchronised to disk.
    ///
    /// Throws `changed` if a different file has replaced the written one, or `io`.
    ///
    /// - Parameter former: the archive that it replaces, whose ``AccessRights`` it keeps.
    func rename(to archive: FilePath, like former: LockedArchive? = nil) throws(ArchiveError) {
        guard Self.isStillThere(descriptor, path) else { throw TemporaryFiles.moved(path) }
        if let former { AccessRights.copy(from: former.descriptor, to: descriptor, madeFrom: sources) }
        let isRenamed: Bool
        do {
            isRenamed = try TemporaryFiles.rename(path, to: archive)
        } catch {
            throw ArchiveError(.io, "cannot rename the archive", path: archive.string, cause: error)
        }
        guard isRenamed else { throw TemporaryFiles.moved(path) }
        try Self.synchroniseFolder(of: archive)
        // It is the archive now, which other writers lock.
        _ = flock(descriptor.rawValue, LOCK_UN)
    }

    private static func synchroniseFolder(of archive: FilePath) throws(ArchiveError) {
        let folder = archive.containingFolder
        do {
            let opened = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
            defer { try? opened.close() }
            // Some file systems cannot synchronise a folder, and report EINVAL; no alternative exists.
            if fsync(opened.rawValue) != 0, errno != EINVAL { throw Errno(rawValue: errno) }
        } catch {
            throw ArchiveError(.io, "cannot flush the folder to disk", path: folder.string, cause: error)
        }
    }

    /// Removes the partial file while the lock is still held.
    func remove() { if Self.isStillThere(descriptor, path) { TemporaryFiles.remove(path) } }

    deinit { try? descriptor.close() }
}
