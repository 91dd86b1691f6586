// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The folder in which the paths of a source start, held open: paths are looked up from here, which is shorter than from the top of the file system.
final class SourceRoot: Sendable {
    let descriptor: CInt
    /// Which of the sources this is.
    let source: Int
    /// Without symbolic links.
    private let path: [UInt8]

    /// Folders that may be listed behind two symbolic links or more: links from folder to folder double the ways at each step.
    private static let mostFoldersBehindLinks = 10_000
    private let foldersBehindLinks = Atomic(0)
    /// Files and folders that may be listed behind a symbolic link: a thousand links to one folder make a thousand times its files.
    private static let mostBehindLinks = 400_000
    private let behindLinks = Atomic(0)

    private static let slash = UInt8(ascii: "/")

    /// Throws `io`.
    init(_ path: [UInt8], source: Int) throws(ArchiveError) {
        self.path = path
        self.source = source
        descriptor = CString.with(path.isEmpty ? [Self.slash] : path) { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else {
            throw ArchiveError(
                .io, "cannot read the folder", path: String(decoding: path, as: UTF8.self),
                cause: Errno(rawValue: errno))
        }
    }

    deinit { close(descriptor) }

    /// The whole path of what lies at a relative one, with what is not UTF-8 repaired, for people.
    func display(_ relative: [UInt8]) -> String {
        String(decoding: relative.isEmpty ? path : path + [Self.slash] + relative, as: UTF8.self)
    }

    /// Throws `invalidArgument` for what is no file.
    func stamp(_ relative: [UInt8], _ status: FileStatus) throws(ArchiveError) -> FileStamp {
        guard status.isRegular else {
            throw ArchiveError(
                .invalidArgument, "neither a file nor a folder", path: display(relative), recovery: .leaveOut)
        }
        return FileStamp(status)
    }

    /// Counts a folder behind two symbolic links or more.
    ///
    /// Throws `limitExceeded`.
    func countFolderBehindLinks(_ relative: [UInt8]) throws(ArchiveError) {
        let count = foldersBehindLinks.wrappingAdd(1, ordering: .relaxed).newValue
        guard count <= Self.mostFoldersBehindLinks else {
            throw tooMany("\(Self.mostFoldersBehindLinks) folders behind symbolic links that lead to links", relative)
        }
    }

    /// Counts the content of a folder behind a symbolic link.
    ///
    /// Throws `limitExceeded`.
    func countBehindLinks(_ count: Int, _ relative: [UInt8]) throws(ArchiveError) {
        let count = behindLinks.wrappingAdd(count, ordering: .relaxed).newValue
        guard count <= Self.mostBehindLinks else {
            throw tooMany("\(Self.mostBehindLinks) files and folders behind symbolic links", relative)
        }
    }

    private func tooMany(_ what: String, _ relative: [UInt8]) -> ArchiveError {
        ArchiveError(.limitExceeded, "more than \(what)", path: display(relative), recovery: .leaveOut)
    }

    /// The status of a name in a folder, and whether it is a symbolic link, which is followed if it may be. `relative` is the path that the
    /// name ends.
    ///
    /// - Throws: `io`, or `invalidArgument` for links that lead outside or in a circle.
    func status(
        of name: [UInt8], in folder: CInt, _ relative: [UInt8], allowsOutsideLinks: Bool
    ) throws(ArchiveError) -> (FileStatus, isLink: Bool) {
        guard let status = CString.with(name, { FileStatus(ofCString: $0, in: folder, followsLinks: false) }) else {
            throw failure(relative)
        }
        guard status.kind == .link else { return (status, false) }
        guard let resolved = CString.with(path + [Self.slash] + relative, { realpath($0, nil) }) else {
            throw failure(relative)
        }
        defer { free(resolved) }
        let target = CString.bytes(UnsafeRawPointer(resolved))
        if !allowsOutsideLinks, target != path, !target.starts(with: path + [Self.slash]) {
            throw ArchiveError(
                .invalidArgument,
                "a symbolic link that leads out of the folder, to \(String(decoding: target, as: UTF8.self))",
                path: display(relative), recovery: .allowOutsideLinks)
        }
        // The path that was checked, and not what may have taken a folder's place on it since.
        guard let linked = FileStatus(ofCString: resolved, followsLinks: false) else { throw failure(relative) }
        return (linked, true)
    }

    private func failure(_ relative: [UInt8]) -> ArchiveError {
        switch Errno(rawValue: errno) {
        case .noSuchFileOrDirectory:
            ArchiveError(.io, "leads nowhere, or vanished while the folder was read", path: display(relative))
        case .tooManySymbolicLinkLevels:
            circle(relative)
        case let cause:
            ArchiveError(.io, "cannot read", path: display(relative), cause: cause)
        }
    }

    func changed(_ relative: [UInt8]) -> ArchiveError {
        ArchiveError(
            .changed, "changed while it was packed; pack again when nobody writes to the folder",
            path: display(relative))
    }

    func circle(_ relative: [UInt8]) -> ArchiveError {
        ArchiveError(
            .invalidArgument, "a symbolic link that leads in a circle", path: display(relative), recovery: .leaveOut)
    }
}
