// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The files of a run, which are removed if it does not finish.
final class UnfinishedFiles: Sendable {
    private struct State {
        var paths: Set<FilePath> = []
        var isAbandoned = false
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Begins a run with one existing file, the lock of the others.
    ///
    /// - Throws: `io` after ``abandon()``.
    func begin(with path: FilePath) throws(ArchiveError) {
        state.withLock { ($0.paths, $0.isFinished) = ([path], false) }
        try change { _ throws(ArchiveError) in }
    }

    /// Creates a file. A file that a killed run left under this name is removed first.
    ///
    /// - Throws: `invalidArgument` if it is a source, `io`.
    func make(_ path: FilePath, _ rights: SourceRights) throws(ArchiveError) -> FileDescriptor {
        try change { paths throws(ArchiveError) in
            try rights.checkUnused(path)
            unlink(path.string)
            do {
                let file = try FileDescriptor.open(
                    path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: rights.whenMade)
                paths.insert(path)
                rights.admitGroup(to: file)
                return file
            } catch {
                throw ArchiveError(.io, "cannot create the file", path: path.string, cause: error)
            }
        }
    }

    /// Renames a file.
    ///
    /// - Throws: `io`.
    func rename(_ path: FilePath, to name: FilePath) throws(ArchiveError) {
        try change { paths throws(ArchiveError) in
            guard systemRename(path.string, name.string) == 0 else {
                throw ArchiveError(
                    .io, "cannot rename the file", path: name.string, cause: Errno(rawValue: errno))
            }
            paths.remove(path)
            paths.insert(name)
        }
    }

    /// Renames the lock's file, after which all files stay.
    ///
    /// - Throws: `changed`, `io`.
    func finish(_ lock: borrowing WriterLock, as name: FilePath) throws(ArchiveError) {
        try state.withLock { state throws(ArchiveError) in
            guard !state.isAbandoned else { throw Self.stopped(name) }
            // Its name may change without the file reaching the disk.
            state.paths.insert(name)
            try lock.rename(to: name)
            state.isFinished = true
        }
    }

    /// Removes the files, and prevents new ones.
    ///
    /// - Returns: whether it removed them; false if the run had finished, and then nothing is removed.
    func abandon() -> Bool {
        state.withLock { state in
            guard !state.isFinished else { return false }
            state.isAbandoned = true
            Self.remove(&state.paths)
            return true
        }
    }

    /// Removes the files after an error.
    func remove() { state.withLock { Self.remove(&$0.paths) } }

    private static func remove(_ paths: inout Set<FilePath>) {
        for path in paths { unlink(path.string) }
        paths = []
    }

    private func change<Value>(
        _ work: (inout Set<FilePath>) throws(ArchiveError) -> sending Value
    ) throws(ArchiveError) -> sending Value {
        try state.withLock { state throws(ArchiveError) in
            guard !state.isAbandoned else { throw Self.stopped(nil) }
            return try work(&state.paths)
        }
    }

    private static func stopped(_ path: FilePath?) -> ArchiveError {
        ArchiveError(.io, "interrupted before all files were written", path: path?.string)
    }
}
