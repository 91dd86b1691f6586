// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The access to small files that other users must not change, nor read if they are secret.
package enum PrivateFile {
    /// The maximum length that is read from a file, in bytes; the rest is ignored.
    static let maximumLength = 1 << 20

    /// Checks that no other user may change the contents of a folder.
    ///
    /// - Throws: `invalidArgument` if another user owns the folder or may write to it, `notFound` if it is missing,
    ///   `io`.
    package static func checkFolder(_ path: FilePath) throws(ArchiveError) {
        guard let status = FileStatus(of: path) else { throw failure(path, "cannot read") }
        try check(status, path, isSecret: false)
    }

    private static func check(_ status: FileStatus, _ path: FilePath, isSecret: Bool) throws(ArchiveError) {
        guard status.owner == 0 || status.owner == geteuid() else {
            throw isSecret
                ? ArchiveError(
                    .invalidArgument,
                    "the key file is owned by user ID \(status.owner); use one of your own",
                    path: path.string)
                : ArchiveError(
                    .invalidArgument, "owned by user ID \(status.owner)", path: path.string,
                    recovery: .ownFolder)
        }
        if isSecret, status.permissions.rawValue & 0o077 != 0 {
            throw ArchiveError(
                .invalidArgument,
                "other users can read the key; run chmod 600 if nobody has read it, otherwise create a new key",
                path: path.string)
        }
        guard status.permissions.rawValue & 0o022 == 0 else {
            throw ArchiveError(
                .invalidArgument,
                "other users can write to it; restrict it with chmod go-w, or create it again if anyone may have changed it",
                path: path.string)
        }
    }

    /// Reads the text of a file, of which the first 1 MiB counts. That of a pipe is read until its writers have closed it.
    ///
    /// - Throws: `notFound` if it is missing, `io`.
    package static func text(of path: FilePath) throws(ArchiveError) -> String {
        try text(of: path) { (_) throws(ArchiveError) in }
    }

    /// Reads the text of a file that belongs to this user or to root, of which the first 1 MiB counts.
    ///
    /// - Parameter isSecret: whether others must not even read it.
    /// - Throws: `invalidArgument` if another user owns the file or may change it, `notFound` if it is missing, `io`.
    package static func ownText(of path: FilePath, isSecret: Bool) throws(ArchiveError) -> String {
        try text(of: path) { (status) throws(ArchiveError) in
            try check(status, path, isSecret: isSecret)
            guard status.isRegular else {
                throw ArchiveError(.invalidArgument, "not a regular file", path: path.string)
            }
        }
    }

    private static func text(
        of path: FilePath, checking: (FileStatus) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> String {
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
                .waitingForPipes()
            return try file.closeAfter {
                guard let status = FileStatus(of: file) else { throw Errno(rawValue: errno) }
                try checking(status)
                // Most are short.
                var bytes = [UInt8](repeating: 0, count: 4 << 10)
                var length = 0
                while length < maximumLength {
                    if length == bytes.count {
                        bytes += repeatElement(0, count: min(length, maximumLength - length))
                    }
                    let count = try bytes.withUnsafeMutableBytes { buffer in
                        try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[length...]))
                    }
                    if count == 0 { break }
                    length += count
                }
                return String(decoding: bytes[..<length], as: UTF8.self)
            }
        } catch let error as ArchiveError {
            throw error
        } catch {
            let isMissing = (error as? Errno) == .noSuchFileOrDirectory
            throw ArchiveError(isMissing ? .notFound : .io, "cannot read", path: path.string, cause: error)
        }
    }

    /// Writes beside the name and renames, so that no one reads half a file or a key with wide permissions.
    ///
    /// Waits until the file is on disk.
    ///
    /// - Parameters:
    ///   - permissions: the exact permissions, regardless of `umask`.
    ///   - replacing: whether an existing file may be replaced.
    /// - Throws: `alreadyExists`, or `io`.
    package static func write(
        _ text: String, to place: FilePlace, permissions: FilePermissions, replacing: Bool
    ) throws(ArchiveError) {
        if !replacing, place.status() != nil {
            throw ArchiveError(.alreadyExists, "the file already exists", path: place.path.string)
        }
        try ReplacementFile.write(Array(text.utf8), to: place, permissions: permissions) { file in
            // Not the permissions that a mask has left.
            guard fchmod(file.rawValue, permissions.rawValue) == 0, fsync(file.rawValue) == 0 else {
                throw Errno(rawValue: errno)
            }
        }
    }

    /// Writes a file. As ``write(_:to:permissions:replacing:)-(_,FilePlace,_,_)``.
    ///
    /// - Throws: also `io` if the folder cannot be opened.
    package static func write(
        _ text: String, to path: FilePath, permissions: FilePermissions, replacing: Bool
    ) throws(ArchiveError) {
        try write(text, to: FilePlace(path), permissions: permissions, replacing: replacing)
    }

    /// Creates a folder and its missing ancestors, for its owner alone. An existing folder does not change.
    ///
    /// - Throws: `io`, or `notFound` for an empty path.
    package static func makeFolder(_ path: FilePath) throws(ArchiveError) {
        if mkdir(path.string, 0o700) == 0 || errno == EEXIST { return }
        let parent = path.removingLastComponent()
        guard errno == ENOENT, parent != path, !parent.isEmpty else { throw failure(path, "cannot create the folder") }
        try makeFolder(parent)
        guard mkdir(path.string, 0o700) == 0 || errno == EEXIST else { throw failure(path, "cannot create the folder") }
    }

    private static func failure(_ path: FilePath, _ text: String) -> ArchiveError {
        let cause = Errno(rawValue: errno)
        return ArchiveError(cause == .noSuchFileOrDirectory ? .notFound : .io, text, path: path.string, cause: cause)
    }
}
