// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The destination folder, opened once for all threads.
final class DestinationRoot: Sendable {
    /// The open folder, which is closed with this object. It may not be readable.
    let descriptor: CInt
    /// The path as it was given, for messages.
    let name: String
    /// The written files: a file system that ignores case has one file for two names.
    private let written = Mutex<Set<FileNumber>>([])

    /// Opens the folder, and creates it if it is missing.
    ///
    /// - Throws: `io`, also for a link that another user left in a shared folder.
    init(_ path: FilePath) throws(ArchiveError) {
        name = path.string
        descriptor = try Self.opened(path)
    }

    deinit { close(descriptor) }

    /// Opens a path component by component, so that the checked folder is the used one.
    private static func opened(_ path: FilePath) throws(ArchiveError) -> CInt {
        var reached = FilePath(path.isAbsolute ? "/" : ".")
        var folder = open(reached.string, FolderPassage.flags)
        for component in path.components {
            let parent = folder
            defer { close(parent) }
            reached.append(component)
            guard parent >= 0 else { throw failure("cannot open the folder", reached.removingLastComponent()) }
            folder = openat(parent, component.string, FolderPassage.flags)
            if folder < 0, errno == ENOENT {
                guard mkdirat(parent, component.string, 0o777) == 0 || errno == EEXIST else {
                    throw failure("cannot create the folder", reached)
                }
                folder = openat(parent, component.string, FolderPassage.flags)
            }
            if folder < 0, errno == ELOOP || errno == ENOTDIR {
                folder = open(try reached.followingTrustedLinks().string, FolderPassage.flags)
            }
        }
        guard folder >= 0 else { throw failure("cannot open the folder", path) }
        return folder
    }

    /// Returns an error with the reason in `errno`, so no other call may come between.
    private static func failure(_ message: String, _ path: FilePath) -> ArchiveError {
        ArchiveError(.io, message, path: path.string, cause: Errno(rawValue: errno))
    }

    /// Notes a complete file by its descriptor.
    func noteWritten(_ file: CInt) {
        guard let number = FileStatus(of: FileDescriptor(rawValue: file))?.number else { return }
        written.withLock { _ = $0.insert(number) }
    }

    /// Returns whether a name leads to a file that was written before under a different name.
    func hasWritten(_ name: [UInt8], in folder: CInt) -> Bool {
        guard let number = CString.with(name, { FileStatus(ofCString: $0, in: folder, followsLinks: false)?.number })
        else { return false }
        return written.withLock { $0.contains(number) }
    }
}
