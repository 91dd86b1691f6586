// SPDX-License-Identifier: Apache-2.0

import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Keeps a second writer away from an archive. Specification section 9.
///
/// The lock is held on `FILE.partial`, which is also where a new archive is written: so whoever appends, replaces or compacts
/// `FILE` excludes the others, and a file that a killed writer left behind is simply taken over.
struct WriterLock: ~Copyable {
    let path: FilePath
    let descriptor: FileDescriptor

    /// Throws `locked` if another writer is at work, or `io`.
    init(archive: FilePath) throws(ArchiveError) {
        path = FilePath(archive.string + ".partial")
        while true {
            let opened: FileDescriptor
            do {
                opened = try FileDescriptor.open(
                    path, .readWrite, options: [.create, .closeOnExec, .noFollow],
                    permissions: [.ownerReadWrite, .groupRead, .otherRead])
            } catch {
                throw ArchiveError(.io, "cannot write beside the archive", path: path.string, cause: error)
            }
            guard flock(opened.rawValue, LOCK_EX | LOCK_NB) == 0 else {
                try? opened.close()
                throw ArchiveError(
                    .locked, "another writer is at work on this archive; wait until it ends", path: archive.string)
            }
            // Between open and flock the last holder may have renamed or removed the file: then the lock is on nothing.
            if Self.isStillThere(opened, path) {
                descriptor = opened
                return
            }
            try? opened.close()
        }
    }

    private static func isStillThere(_ descriptor: FileDescriptor, _ path: FilePath) -> Bool {
        var (mine, theirs) = (stat(), stat())
        return fstat(descriptor.rawValue, &mine) == 0 && stat(path.string, &theirs) == 0
            && mine.st_ino == theirs.st_ino && mine.st_dev == theirs.st_dev
    }

    /// Gives the written file its name, for good: both the file and the folder are brought to disk.
    func rename(to archive: FilePath) throws(ArchiveError) {
        guard systemRename(path.string, archive.string) == 0 else {
            throw ArchiveError(
                .io, "cannot give the archive its name", path: archive.string, cause: Errno(rawValue: errno))
        }
        try Self.synchroniseFolder(of: archive)
    }

    private static func synchroniseFolder(of archive: FilePath) throws(ArchiveError) {
        let parent = archive.removingLastComponent()
        let folder = parent.isEmpty ? FilePath(".") : parent
        do {
            let opened = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
            defer { try? opened.close() }
            // Some file systems cannot synchronise a folder, and say EINVAL; there is nothing more to be done then.
            if fsync(opened.rawValue) != 0, errno != EINVAL { throw Errno(rawValue: errno) }
        } catch {
            throw ArchiveError(.io, "cannot bring the folder to disk", path: folder.string, cause: error)
        }
    }

    /// Removes the partial file while the lock is still held.
    func remove() { unlink(path.string) }

    deinit { try? descriptor.close() }
}

/// `rename(2)`, which a method of that name would hide.
private func systemRename(_ from: String, _ to: String) -> CInt { rename(from, to) }
