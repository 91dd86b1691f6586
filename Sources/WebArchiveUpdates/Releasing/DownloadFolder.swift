// SPDX-License-Identifier: Apache-2.0

import Crypto
import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A folder beside an archive with the loaded parts of its next edition, so that a later run continues there. Only one run at a time has it.
final class DownloadFolder {
    /// The path: that of the archive with `.update` after it.
    var path: FilePath { place.path }
    private let place: FilePlace
    /// The folder itself, whose lock ends with the process.
    private let lock: LockedFolder

    /// Creates the folder, unless it exists and is this user's own, and locks it.
    ///
    /// - Throws: `locked` if another run has it, `io`.
    init(beside archive: FilePath) throws(ArchiveError) {
        let place = try FilePlace(FilePath(archive.string + ".update"))
        while true {
            guard place.makeFolder(.ownerReadWriteExecute) || errno == EEXIST else {
                throw ArchiveError(
                    .io, "cannot create the folder", path: place.path.string, cause: Errno(rawValue: errno))
            }
            // Another user's folder is not even locked.
            guard Self.isOwn(place) else { throw Self.foreign(place.path) }
            // The run that had it may have removed it meanwhile.
            guard let lock = try Self.locked(place) else { continue }
            guard FileStatus(of: lock.folder.descriptor)?.owner == geteuid() else { throw Self.foreign(place.path) }
            (self.place, self.lock) = (place, lock)
            return
        }
    }

    /// Finds the folder of an earlier run; nil without one, if it belongs to another user, and if another run has it.
    init?(leftBeside archive: FilePath) {
        guard let place = try? FilePlace(FilePath(archive.string + ".update")), Self.isOwn(place),
            let lock = try? Self.locked(place), FileStatus(of: lock.folder.descriptor)?.owner == geteuid()
        else { return nil }
        self.place = place
        self.lock = lock
    }

    /// Returns the error of a folder that another user may have prepared.
    private static func foreign(_ path: FilePath) -> ArchiveError {
        ArchiveError(.io, "the download folder belongs to another user; remove it", path: path.string)
    }

    /// Returns whether a name is that of a folder of this user, and not of a symbolic link.
    private static func isOwn(_ place: FilePlace) -> Bool {
        guard let status = place.status() else { return false }
        return status.kind == .folder && status.owner == geteuid()
    }

    /// Locks the folder; nil if the name leads to a different one by now.
    private static func locked(_ place: FilePlace) throws(ArchiveError) -> LockedFolder? {
        try LockedFolder(
            place,
            isLocked: "another update of this archive is running; try again when it has ended")
    }

    /// Returns the name of a file. Names identify contents, so no file of a different edition is continued.
    private static func name(of file: UpdateManifest.File) -> String { String(file.sha256.prefix(32)) }

    /// Returns the name of the archive that a patch of several makes.
    private static func name(ofStep number: Int) -> String { "step-\(number).webarc" }

    /// Returns whether a name is one of ``name(of:)`` or ``name(ofStep:)``, or a temporary one of earlier versions.
    private static func isOwnName(_ name: String) -> Bool {
        name.wholeMatch(of: /[0-9a-f]{32}|step-[0-9]+\.webarc(?:\.partial)?/) != nil
    }

    /// Opens a file of the folder, never through a symbolic link.
    ///
    /// By the open folder, like all access to its files: another user who may write to the archive's folder can put another one under its path.
    ///
    /// - Throws: `io`, also for a file of another user.
    private func open(_ name: String, _ flags: CInt) throws(ArchiveError) -> FileDescriptor {
        let number = openat(lock.folder.descriptor.rawValue, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard number >= 0 else {
            throw ArchiveError(
                .io, "cannot open the file", path: path.appending(name).string, cause: Errno(rawValue: errno))
        }
        let file = FileDescriptor(rawValue: number)
        guard FileStatus(of: file)?.isOwnFile == true else {
            try? file.close()
            throw ArchiveError(
                .io, "the file is owned by another user or is not a regular file; remove it",
                path: path.appending(name).string)
        }
        return file
    }

    /// Returns the number of loaded bytes of a file.
    func length(of file: UpdateManifest.File) -> UInt64 {
        let status = FileStatus(
            ofCString: Self.name(of: file), in: lock.folder.descriptor.rawValue, followsLinks: false)
        guard let status, status.isOwnFile else { return 0 }
        return min(status.length, file.length)
    }

    /// Loads the missing part of a file, and proves the file.
    ///
    /// - Returns: the number of received bytes.
    /// - Throws: `damaged` if the file is not the one of the list: it is removed; as ``UpdateSource``.
    func load(
        _ file: UpdateManifest.File, from source: any UpdateSource, _ meter: ProgressCounter
    ) throws(ArchiveError) -> UInt64 {
        let name = Self.name(of: file)
        var came: UInt64 = 0
        let start = length(of: file)
        let target = try open(name, O_RDWR | O_CREAT)
        defer { try? target.close() }
        do {
            try target.resize(to: Int64(start))
            try target.seek(offset: 0, from: .end)
            if start < file.length {
                try source.append(file.name, from: start, length: file.length, to: target) { count in
                    came += UInt64(count)
                    meter.add(count)
                }
            }
            guard fsync(target.rawValue) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            throw error as? ArchiveError
                ?? ArchiveError(.io, "cannot write", path: path.appending(name).string, cause: error)
        }
        let loaded = try FileByteSource(of: target, name: path.appending(name))
        guard loaded.length == file.length, try SHA256.digest(of: loaded).hexadecimalDigits == file.sha256 else {
            unlinkat(lock.folder.descriptor.rawValue, name, 0)
            // The bytes of an earlier run may have come from another host.
            if start > 0 { return try load(file, from: source, meter).addingSaturated(came) }
            throw ArchiveError(
                .damaged, "\(file.name) does not match the list of updates; try again when the folder is complete",
                path: source.name)
        }
        return came
    }

    /// Opens a file that was loaded.
    ///
    /// - Throws: `io`.
    func source(of file: UpdateManifest.File) throws(ArchiveError) -> FileByteSource {
        let name = Self.name(of: file)
        let opened = try open(name, O_RDONLY)
        defer { try? opened.close() }
        return try FileByteSource(of: opened, name: path.appending(name))
    }

    /// Makes the archive of a step, in place of one that an earlier run left. The file stays after an error.
    ///
    /// - Parameter make: a function that writes to the open file, which is empty; it gets the path for messages.
    /// - Returns: the archive.
    /// - Throws: errors of `make`, `io`.
    func makeStep(
        _ number: Int, _ make: (FileDescriptor, FilePath) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> FileByteSource {
        discardStep(number)
        let name = Self.name(ofStep: number)
        let file = try open(name, O_RDWR | O_CREAT | O_EXCL)
        defer { try? file.close() }
        try make(file, path.appending(name))
        return try FileByteSource(of: file, name: path.appending(name))
    }

    /// Removes the archive of a step that is no longer needed.
    func discardStep(_ number: Int) { unlinkat(lock.folder.descriptor.rawValue, Self.name(ofStep: number), 0) }

    /// Removes the files of updates, and the folder if it has no others.
    func remove() {
        let copy = fcntl(lock.folder.descriptor.rawValue, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return }
        guard let folder = fdopendir(copy) else {
            close(copy)
            return
        }
        defer { closedir(folder) }
        rewinddir(folder)
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if Self.isOwnName(name) { unlinkat(lock.folder.descriptor.rawValue, name, 0) }
        }
        place.removeFolder()
    }
}
