// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemPackage

/// The files of a run, which are removed if it does not finish.
final class UnfinishedFiles: Sendable {
    private struct State {
        /// The names of the files.
        var files: [FileNumber: FilePlace] = [:]
        var isAbandoned = false
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Begins a run with the lock of its files, which is one of them.
    ///
    /// - Throws: `io` after ``abandon()``.
    func begin(with lock: borrowing WriterLock) throws(ArchiveError) {
        let file = FileStatus(of: lock.descriptor).map { [$0.number: lock.place] }
        state.withLock { ($0.files, $0.isFinished) = (file ?? [:], false) }
        try change { _ throws(ArchiveError) in }
    }

    /// Creates a file. A file that a killed run left under this name is removed first.
    ///
    /// - Throws: `invalidArgument` if it is a source, `io`.
    func make(_ place: FilePlace, _ rights: SourceRights) throws(ArchiveError) -> FileDescriptor {
        try change { files throws(ArchiveError) in
            try rights.checkUnused(place)
            place.remove()
            do {
                let file = try place.open(
                    .writeOnly, options: [.create, .exclusiveCreate], permissions: rights.whenMade)
                if let number = FileStatus(of: file)?.number { files[number] = place }
                rights.admitGroup(to: file)
                return file
            } catch {
                throw ArchiveError(.io, "cannot create the file", path: place.path.string, cause: error)
            }
        }
    }

    /// Renames a file.
    ///
    /// - Throws: `changed` if another program moved or removed it, `io`.
    func rename(_ place: FilePlace, to name: FilePlace) throws(ArchiveError) {
        try change { files throws(ArchiveError) in
            guard let number = place.status()?.number, files[number]?.path == place.path else {
                throw TemporaryFiles.moved(place.path)
            }
            do {
                try place.rename(to: name)
            } catch {
                throw ArchiveError(.io, "cannot rename the file", path: name.path.string, cause: error)
            }
            files[number] = name
        }
    }

    /// Renames the lock's file, after which all files stay.
    ///
    /// - Throws: `changed`, `io`.
    func finish(_ lock: borrowing WriterLock, as name: FilePlace) throws(ArchiveError) {
        try state.withLock { state throws(ArchiveError) in
            guard !state.isAbandoned else { throw Self.stopped(name.path) }
            // Its name may change without the file reaching the disk.
            if let number = FileStatus(of: lock.descriptor)?.number { state.files[number] = name }
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
            Self.remove(&state.files)
            return true
        }
    }

    /// Removes the files after an error.
    func remove() { state.withLock { Self.remove(&$0.files) } }

    private static func remove(_ files: inout [FileNumber: FilePlace]) {
        for (number, place) in files where place.status()?.number == number { place.remove() }
        files = [:]
    }

    private func change<Value>(
        _ work: (inout [FileNumber: FilePlace]) throws(ArchiveError) -> sending Value
    ) throws(ArchiveError) -> sending Value {
        try state.withLock { state throws(ArchiveError) in
            guard !state.isAbandoned else { throw Self.stopped(nil) }
            return try work(&state.files)
        }
    }

    private static func stopped(_ path: FilePath?) -> ArchiveError {
        ArchiveError(.io, "interrupted before all files were written", path: path?.string)
    }
}
