// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A folder in which one process at a time works. The lock is on the folder itself and ends with this object, or with the process.
final class LockedFolder {
    /// The open folder.
    let folder: FileDescriptor

    /// Locks a folder, without waiting; nil if it does not exist, or if a different one has its path by now.
    ///
    /// A file system without locks does not prevent the work.
    ///
    /// - Parameters:
    ///   - followsLinks: whether the path may be that of a symbolic link.
    ///   - message: the message of the error `locked`.
    /// - Throws: `locked` if another process has the lock, `io`.
    init?(_ path: FilePath, followsLinks: Bool, isLocked message: String) throws(ArchiveError) {
        let options: FileDescriptor.OpenOptions = followsLinks ? [] : .noFollow
        do {
            folder = try FileDescriptor.open(path, .readOnly, options: options.union([.directory, .closeOnExec]))
        } catch {
            guard error as? Errno != .noSuchFileOrDirectory else { return nil }
            throw ArchiveError(.io, "cannot open the folder", path: path.string, cause: error)
        }
        var isLocked = flock(folder.rawValue, LOCK_EX | LOCK_NB) == 0
        while !isLocked, errno == EINTR { isLocked = flock(folder.rawValue, LOCK_EX | LOCK_NB) == 0 }
        if !isLocked, errno == EWOULDBLOCK {
            throw ArchiveError(.locked, message, path: path.string)
        }
        guard FileStatus(of: folder)?.number == FileStatus(of: path, followsLinks: followsLinks)?.number else {
            return nil
        }
    }

    deinit { try? folder.close() }
}
