// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemPackage
import WebArchive

/// The destination folder, opened once for all threads.
final class DestinationRoot: Sendable {
    private let folder: OpenFolder
    /// The path as it was given, for messages.
    let name: String
    /// The written files: a file system that ignores case has one file for two names.
    private let written = Mutex<Set<FileNumber>>([])

    /// Opens the folder, and creates it if it is missing.
    ///
    /// - Throws: `io`, also for a link that another user left in a shared folder.
    init(_ path: FilePath) throws(ArchiveError) {
        name = path.string
        folder = try OpenFolder(path, creating: .usual)
    }

    /// The open folder, which is closed with this object. It may not be readable.
    var descriptor: CInt { folder.descriptor.rawValue }

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
