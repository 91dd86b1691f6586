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
    let path: FilePath
    /// The folder itself, whose lock ends with the process.
    private let lock: LockedFolder

    /// Creates the folder, unless it exists and is this user's own, and locks it.
    ///
    /// - Throws: `locked` if another run has it, `io`.
    init(beside archive: FilePath) throws(ArchiveError) {
        path = FilePath(archive.string + ".update")
        while true {
            guard mkdir(path.string, 0o700) == 0 || errno == EEXIST else {
                throw ArchiveError(.io, "cannot create the folder", path: path.string, cause: Errno(rawValue: errno))
            }
            // Another user's folder is not even locked.
            guard Self.isOwn(path) else { throw Self.foreign(path) }
            // The run that had it may have removed it meanwhile.
            guard let lock = try Self.locked(path) else { continue }
            guard FileStatus(of: lock.folder)?.owner == geteuid() else { throw Self.foreign(path) }
            self.lock = lock
            return
        }
    }

    /// Finds the folder of an earlier run; nil without one, if it belongs to another user, and if another run has it.
    init?(leftBeside archive: FilePath) {
        path = FilePath(archive.string + ".update")
        guard Self.isOwn(path), let lock = try? Self.locked(path), FileStatus(of: lock.folder)?.owner == geteuid()
        else { return nil }
        self.lock = lock
    }

    private static func foreign(_ path: FilePath) -> ArchiveError {
        ArchiveError(.io, "the download folder belongs to another user; remove it", path: path.string)
    }

    private static func isOwn(_ path: FilePath) -> Bool {
        guard let status = FileStatus(of: path, followsLinks: false) else { return false }
        return status.kind == .folder && status.owner == geteuid()
    }

    /// Locks the folder; nil if the path leads to a different one by now.
    private static func locked(_ path: FilePath) throws(ArchiveError) -> LockedFolder? {
        try LockedFolder(
            path, followsLinks: false,
            isLocked: "another update of this archive is running; try again when it has ended")
    }

    /// Returns the path of a file. Names identify contents, so no file of a different edition is continued.
    func path(of file: UpdateManifest.File) -> FilePath { path.appending(String(file.sha256.prefix(32))) }

    /// Returns the path of the archive that a patch of several makes.
    func path(ofStep number: Int) -> FilePath { path.appending("step-\(number).webarc") }

    /// Returns whether a name is one of ``path(of:)`` or ``path(ofStep:)``, or a temporary one.
    private static func isOwnName(_ name: String) -> Bool {
        name.wholeMatch(of: /[0-9a-f]{32}|step-[0-9]+\.webarc(?:\.partial)?/) != nil
    }

    /// Returns the number of loaded bytes of a file.
    func length(of file: UpdateManifest.File) -> UInt64 {
        guard let status = FileStatus(of: path(of: file)), status.kind == .regular else { return 0 }
        return min(UInt64(status.length), file.length)
    }

    /// Loads the missing part of a file, and proves the file.
    ///
    /// - Returns: the number of received bytes.
    /// - Throws: `damaged` if the file is not the one of the list: it is removed; as ``UpdateSource``.
    func load(
        _ file: UpdateManifest.File, from source: any UpdateSource, _ meter: ProgressCounter
    ) throws(ArchiveError) -> UInt64 {
        let path = path(of: file)
        var came: UInt64 = 0
        let start = length(of: file)
        do {
            let target = try FileDescriptor.open(
                path, .readWrite, options: [.create, .noFollow, .closeOnExec], permissions: .ownerReadWrite)
            try target.closeAfter {
                try target.resize(to: Int64(start))
                try target.seek(offset: 0, from: .end)
                if start < file.length {
                    try source.append(file.name, from: start, length: file.length, to: target) { count in
                        came += UInt64(count)
                        meter.add(count)
                    }
                }
                guard fsync(target.rawValue) == 0 else { throw Errno(rawValue: errno) }
            }
        } catch {
            throw error as? ArchiveError ?? ArchiveError(.io, "cannot write", path: path.string, cause: error)
        }
        let loaded = try FileByteSource(path: path)
        guard loaded.length == file.length, try SHA256.digest(of: loaded).hexadecimalDigits == file.sha256 else {
            unlink(path.string)
            // The bytes of an earlier run may have come from another host.
            if start > 0 { return try load(file, from: source, meter).addingSaturated(came) }
            throw ArchiveError(
                .damaged, "\(file.name) does not match the list of updates; try again when the folder is complete",
                path: source.name)
        }
        return came
    }

    /// Removes a file of the folder that is no longer needed.
    func discard(_ file: FilePath) { unlink(file.string) }

    /// Removes the files of updates, and the folder if it has no others.
    ///
    /// By the open folder: another user who may write to the archive's folder can put another one under its path.
    func remove() {
        let copy = fcntl(lock.folder.rawValue, F_DUPFD_CLOEXEC, 0)
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
            if Self.isOwnName(name) { unlinkat(lock.folder.rawValue, name, 0) }
        }
        rmdir(path.string)
    }
}
