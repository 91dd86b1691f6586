// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import SystemPackage

/// The files that this process has created under temporary names, and that did not get their names yet.
///
/// A process that ends early removes these, and no others: another program may have a file under the same temporary name, or an input may be named so.
package enum TemporaryFiles {
    private struct State {
        /// The names of the files.
        var files: [FileNumber: FilePlace] = [:]
        /// The names that files of this process got.
        var finishedNames: Set<FilePath> = []
        /// The names of archives whose next commit is not the last one of this process.
        var continuedNames: Set<FilePath> = []
        /// Whether there were such commits.
        var hasContinued = false

        /// Notes that a file has its name, or an archive has another commit.
        mutating func finish(_ name: FilePath) {
            if continuedNames.contains(name) { hasContinued = true } else { finishedNames.insert(name) }
        }

        /// Returns the number of the file that has a name now, if this process has created it.
        func number(of place: FilePlace) -> FileNumber? {
            guard let number = place.status()?.number, files[number]?.path == place.path else { return nil }
            return number
        }
    }

    private static let state = Mutex(State())

    /// Creates a file that must not exist.
    ///
    /// - Throws: an error of the system.
    package static func create(
        _ place: FilePlace, _ mode: FileDescriptor.AccessMode, permissions: FilePermissions
    ) throws -> FileDescriptor {
        try state.withLock { state in
            let file = try place.open(mode, options: [.create, .exclusiveCreate], permissions: permissions)
            if let number = FileStatus(of: file)?.number { state.files[number] = place }
            return file
        }
    }

    /// Notes a file that this process has just created by other means.
    package static func note(_ place: FilePlace) {
        state.withLock { state in
            if let number = place.status()?.number { state.files[number] = place }
        }
    }

    /// Removes the file of a name if this process has created it.
    static func remove(_ place: FilePlace) {
        state.withLock { state in
            guard let number = state.number(of: place) else { return }
            state.files[number] = nil
            place.remove()
        }
    }

    /// Renames a file to its name.
    ///
    /// - Returns: whether this process has created the file; false if another one has its name by now, and then nothing is renamed.
    /// - Throws: an error of the system.
    static func rename(_ place: FilePlace, to name: FilePlace) throws -> Bool {
        try state.withLock { state in
            guard let number = state.number(of: place) else { return false }
            try place.rename(to: name)
            state.files[number] = nil
            state.finish(name.path)
            return true
        }
    }

    /// Returns the error for a file that another program has moved or removed.
    static func moved(_ path: FilePath) -> ArchiveError {
        ArchiveError(.changed, "the file was moved or deleted while it was written; try again", path: path.string)
    }

    /// Notes that a commit was appended to an archive.
    static func noteFinished(_ name: FilePath) { state.withLock { $0.finish(name) } }

    /// Sets whether the next commit of an archive is the last one of this process.
    ///
    /// - Parameter path: the path of the archive, which may be missing.
    package static func setNextCommit(of path: FilePath, isLast: Bool) {
        let names = [path, (try? FilePlace(following: path, isNew: true))?.path ?? path]
        state.withLock { state in
            if isLast { state.continuedNames.subtract(names) } else { state.continuedNames.formUnion(names) }
        }
    }

    /// Removes all files and ends the process, unless a file got its name already. No file is created or renamed meanwhile.
    ///
    /// - Parameters:
    ///   - names: the names, of which one suffices.
    ///   - end: a function that ends the process, with whether commits were made before.
    package static func removeAll(unlessFinished names: [FilePath], then end: (Bool) -> Never) {
        state.withLock { state in
            guard state.finishedNames.isDisjoint(with: names) else { return }
            for place in state.files.values where state.number(of: place) != nil { place.remove() }
            end(state.hasContinued)
        }
    }
}
