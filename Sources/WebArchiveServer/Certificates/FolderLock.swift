// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A lock file that excludes writers while readers read files of a folder, and readers while a writer replaces them.
enum FolderLock {
    /// Runs `body` while no other process reads or writes.
    ///
    /// It waits without limit for other processes. The lock file is created for the owner only, and stays; the system
    /// releases the lock with the process.
    ///
    /// - Parameters:
    ///   - path: the lock file. A symbolic link is refused.
    ///   - body: the work, which must not take the same lock again.
    /// - Throws: `io` if the lock cannot be had, and errors of `body`.
    static func writing<Result>(
        _ path: FilePath, _ body: () throws(ArchiveError) -> Result
    ) throws(ArchiveError) -> Result {
        let lock: FileDescriptor
        do {
            lock = try FileDescriptor.open(
                path, .readWrite, options: [.create, .closeOnExec, .noFollow, .nonBlocking],
                permissions: .ownerReadWrite)
        } catch {
            throw ArchiveError(.io, "cannot open the lock", path: path.string, cause: error)
        }
        defer { try? lock.close() }
        try wait(lock, LOCK_EX, path)
        return try body()
    }

    /// Runs `body` while no process writes. A folder without a lock is that of an earlier version, which has no other writer.
    ///
    /// Several readers may hold the lock at once. A lock that cannot be opened counts as a missing one.
    ///
    /// - Throws: as ``writing(_:_:)``.
    static func reading<Result>(
        _ path: FilePath, _ body: () throws(ArchiveError) -> Result
    ) throws(ArchiveError) -> Result {
        let lock = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
        defer { try? lock?.close() }
        if let lock { try wait(lock, LOCK_SH, path) }
        return try body()
    }

    /// Waits for a lock of `flock`, and again after an interruption by a signal.
    ///
    /// - Parameter operation: the operation, `LOCK_EX` to exclude all others, or `LOCK_SH` to exclude writers.
    /// - Throws: `io` if the file system does not support locks, say.
    private static func wait(_ lock: FileDescriptor, _ operation: CInt, _ path: FilePath) throws(ArchiveError) {
        while flock(lock.rawValue, operation) != 0 {
            guard errno == EINTR else {
                throw ArchiveError(.io, "cannot lock", path: path.string, cause: Errno(rawValue: errno))
            }
        }
    }
}
