// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The destination folder, reached by handles only: no symbolic link inside it is followed, so nothing is written outside it.
///
/// Paths are components joined by slashes. One for each thread.
final class DestinationFolder {
    private let root: DestinationRoot
    /// The handles of folders below, by their path.
    private var handles: [[UInt8]: CInt] = [:]
    /// The number of open folders of one thread at which all of them are closed.
    private static let maximumHandles = 64

    init(_ root: DestinationRoot) { self.root = root }

    deinit {
        for handle in handles.values { close(handle) }
    }

    /// Creates a folder and its missing ancestors, with the rights that `umask` leaves. A folder that exists is kept.
    ///
    /// - Throws: `io`, also if a file or a symbolic link has the name of one of them.
    func makeFolder(_ path: [UInt8]) throws(ArchiveError) { _ = try handle(path) }

    /// Returns a handle of a folder below the destination, which is created if it is missing.
    private func handle(_ path: [UInt8]) throws(ArchiveError) -> CInt {
        if let known = handles[path] { return known }
        let (parent, last) = try place(of: path)
        var opened = Self.openFolder(last, in: parent)
        if opened < 0, errno == ENOENT {
            guard CString.with(last, { mkdirat(parent, $0, 0o777) }) == 0 || errno == EEXIST else {
                throw failure("cannot create the folder", path)
            }
            opened = Self.openFolder(last, in: parent)
        }
        guard opened >= 0 else {
            throw errno == ELOOP || errno == ENOTDIR
                ? failure("the path exists and is not a folder", path)
                : failure("cannot open the folder", path)
        }
        if handles.count >= Self.maximumHandles {
            // The parent's handle may be among those that are closed, but it has been used by now.
            for handle in handles.values { close(handle) }
            handles = [:]
        }
        handles[path] = opened
        return opened
    }

    /// Returns the folder above a path, and the last component.
    private func place(of path: [UInt8]) throws(ArchiveError) -> (folder: CInt, name: [UInt8]) {
        guard let slash = path.lastIndex(of: .ascii("/")) else {
            try checkName(path, of: path)
            return (root.descriptor, path)
        }
        let last = Array(path[(slash + 1)...])
        try checkName(last, of: path)
        return (try handle(Array(path[..<slash])), last)
    }

    /// Opens a folder by its name in another one, through no symbolic link.
    ///
    /// - Returns: a handle; below zero where it cannot be opened, with `errno`: `ELOOP` or `ENOTDIR` for a link or a file.
    private static func openFolder(_ name: [UInt8], in parent: CInt) -> CInt {
        CString.with(name) { openat(parent, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    }

    /// Writes a file: `contents` is called with a function that takes its bytes piece by piece. Only a complete file gets its name or keeps it.
    ///
    /// - Throws: `alreadyExists`, `io`, and errors of `contents`; then no file is left behind.
    func writeFile(
        _ path: [UInt8], modified: ArchiveTime?, overwrites: Bool,
        contents: ((UnsafeRawBufferPointer) throws(ArchiveError) -> Void) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let (folder, last) = try place(of: path)
        // The old file stays until the new file is complete.
        let written = overwrites ? Array(".webarc-\(getpid())-\(UInt.random(in: 0 ... .max)).partial".utf8) : last
        let file = CString.with(written) {
            openat(folder, $0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o666))
        }
        guard file >= 0 else {
            if errno == EEXIST {
                try checkNotWritten(last, in: folder, path)
                throw ArchiveError(
                    .alreadyExists, "the file already exists", path: display(path), recovery: .overwrite)
            }
            throw failure("cannot write", path)
        }
        do throws(ArchiveError) {
            defer { close(file) }
            try contents { chunk throws(ArchiveError) in try self.write(chunk, to: file, path) }
            if let modified { Self.setTime(modified, of: file) }
            if overwrites { try checkNotWritten(last, in: folder, path) }
            root.noteWritten(file)
            if overwrites,
                CString.with(written, { from in CString.with(last) { renameat(folder, from, folder, $0) } })
                    != 0
            {
                throw failure("cannot replace", path)
            }
        } catch {
            CString.with(written) { _ = unlinkat(folder, $0, 0) }
            throw error
        }
    }

    /// Checks that a name is not that of a file of this run, such as one that differs only in case.
    ///
    /// - Throws: `alreadyExists`.
    private func checkNotWritten(_ name: [UInt8], in folder: CInt, _ path: [UInt8]) throws(ArchiveError) {
        guard root.hasWritten(name, in: folder) else { return }
        throw ArchiveError(
            .alreadyExists,
            "another file of the archive has the same name on this file system; unpack to a case-sensitive file system",
            path: display(path))
    }

    /// Writes all bytes of a chunk, in as many calls as the system needs. Throws `io`.
    private func write(_ chunk: UnsafeRawBufferPointer, to file: CInt, _ path: [UInt8]) throws(ArchiveError) {
        do {
            try FileDescriptor(rawValue: file).writeAll(chunk)
        } catch {
            throw ArchiveError(.io, "cannot write", path: display(path), cause: error)
        }
    }

    /// Sets the times of access and of modification; does nothing where the file system does not support it.
    private static func setTime(_ time: ArchiveTime, of file: CInt) {
        var seconds = time.nanoseconds / 1_000_000_000
        var rest = time.nanoseconds % 1_000_000_000
        if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000_000) }
        let stamp = timespec(tv_sec: time_t(seconds), tv_nsec: Int(rest))
        // A file system that cannot keep the time keeps the file.
        withUnsafeBytes(of: (stamp, stamp)) { _ = futimens(file, $0.bindMemory(to: timespec.self).baseAddress) }
    }

    /// Checks a name: the mapping of URLs produces only safe names, and this ensures it.
    private func checkName(_ component: [UInt8], of path: [UInt8]) throws(ArchiveError) {
        guard FileNameRules.isLegal(component) else {
            throw ArchiveError(.invalidArgument, "invalid file name", path: display(path))
        }
    }

    /// Returns an error with the reason in `errno`, so no other call may come between.
    private func failure(_ message: String, _ path: [UInt8]) -> ArchiveError {
        ArchiveError(.io, message, path: display(path), cause: Errno(rawValue: errno))
    }

    /// Returns a path with that of the destination before it, for people.
    private func display(_ path: [UInt8]) -> String { root.name + "/" + String(decoding: path, as: UTF8.self) }
}
