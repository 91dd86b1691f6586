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
    let folder: OpenFolder

    /// Locks a folder, without waiting; nil if it does not exist, or if a different one has its name by now.
    ///
    /// A file system without locks does not prevent the work.
    ///
    /// - Parameters:
    ///   - place: the name of the folder, which may not be that of a symbolic link.
    ///   - message: the message of the error `locked`.
    /// - Throws: `locked` if another process has the lock, `io`.
    init?(_ place: FilePlace, isLocked message: String) throws(ArchiveError) {
        do {
            folder = OpenFolder(try place.open(.readOnly, options: .directory))
        } catch {
            guard error as? Errno != .noSuchFileOrDirectory else { return nil }
            throw ArchiveError(.io, "cannot open the folder", path: place.path.string, cause: error)
        }
        let number = folder.descriptor.rawValue
        var isLocked = flock(number, LOCK_EX | LOCK_NB) == 0
        while !isLocked, errno == EINTR { isLocked = flock(number, LOCK_EX | LOCK_NB) == 0 }
        if !isLocked, errno == EWOULDBLOCK {
            throw ArchiveError(.locked, message, path: place.path.string)
        }
        guard FileStatus(of: folder.descriptor)?.number == place.status()?.number else { return nil }
    }
}
