// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import SystemPackage
import WebArchiveFormat

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The files that this process has created under temporary names, and that did not get their names yet.
///
/// A process that ends early removes these, and no others: another program may have a file under the same temporary name, or an input may be named so.
package enum TemporaryFiles {
    private struct File: Hashable {
        let path: FilePath
        let number: FileNumber

        /// The file that has a path now; nil if there is none.
        init?(_ path: FilePath) {
            guard let number = FileStatus(of: path, followsLinks: false)?.number else { return nil }
            (self.path, self.number) = (path, number)
        }
    }

    private struct State {
        var files: Set<File> = []
        /// The names that files of this process got.
        var finishedNames: Set<FilePath> = []
    }

    private static let state = Mutex(State())

    /// Creates a file that must not exist.
    ///
    /// - Throws: an error of the system.
    package static func create(
        _ path: FilePath, _ mode: FileDescriptor.AccessMode, permissions: FilePermissions
    ) throws -> FileDescriptor {
        try state.withLock { state in
            let file = try FileDescriptor.open(
                path, mode, options: [.create, .exclusiveCreate, .closeOnExec], permissions: permissions)
            if let made = File(path) { state.files.insert(made) }
            return file
        }
    }

    /// Notes a file that this process has just created by other means.
    package static func note(_ path: FilePath) {
        state.withLock { state in
            if let file = File(path) { state.files.insert(file) }
        }
    }

    /// Removes the file of a path if this process has created it.
    static func remove(_ path: FilePath) {
        state.withLock { state in
            if let file = File(path), state.files.remove(file) != nil { unlink(path.string) }
        }
    }

    /// Renames a file to its name.
    ///
    /// - Returns: whether this process has created the file; false if another one has its path by now, and then nothing is renamed.
    /// - Throws: an error of the system.
    static func rename(_ path: FilePath, to name: FilePath) throws -> Bool {
        try state.withLock { state in
            guard let file = File(path), state.files.contains(file) else { return false }
            guard systemRename(path.string, name.string) == 0 else { throw Errno(rawValue: errno) }
            state.files.remove(file)
            state.finishedNames.insert(name)
            return true
        }
    }

    /// Returns the error for a file that another program has moved or removed.
    static func moved(_ path: FilePath) -> ArchiveError {
        ArchiveError(.changed, "the file was moved or deleted while it was written; try again", path: path.string)
    }

    /// Notes that a commit was appended to an archive.
    static func noteFinished(_ name: FilePath) { state.withLock { _ = $0.finishedNames.insert(name) } }

    /// Removes all files and ends the process, unless a file got its name already. No file is created or renamed meanwhile.
    ///
    /// - Parameters:
    ///   - names: the names, of which one suffices.
    ///   - end: a function that ends the process.
    package static func removeAll(unlessFinished names: [FilePath], then end: () -> Never) {
        state.withLock { state in
            guard state.finishedNames.isDisjoint(with: names) else { return }
            for file in state.files where File(file.path) == file { unlink(file.path.string) }
            end()
        }
    }
}

/// Calls `rename(2)`, which a method of that name would hide.
func systemRename(_ from: String, _ to: String) -> CInt { rename(from, to) }
