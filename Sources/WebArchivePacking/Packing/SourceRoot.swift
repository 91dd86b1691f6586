// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The folder in which the paths of a source start, held open: lookups from here are shorter than from the root of the file system.
final class SourceRoot: Sendable {
    /// The open folder, which is closed with this object.
    let descriptor: CInt
    /// The number of the source.
    let source: Int
    /// The path without symbolic links.
    private let path: [UInt8]

    /// The counts of links of this source; each source has limits of its own.
    let linkLimits = LinkLimits()

    private static let slash = UInt8(ascii: "/")

    /// Opens the folder. Throws `io`.
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

    /// Returns the whole path of a relative one, with bytes that are not UTF-8 replaced, for people.
    func display(_ relative: [UInt8]) -> String {
        String(decoding: relative.isEmpty ? path : path + [Self.slash] + relative, as: UTF8.self)
    }

    /// Returns the stamp of a file. Throws `invalidArgument` for anything else.
    func stamp(_ relative: [UInt8], _ status: FileStatus) throws(ArchiveError) -> FileStamp {
        guard status.isRegular else {
            throw ArchiveError(
                .invalidArgument, "not a file or a folder", path: display(relative), recovery: .leaveOut)
        }
        return FileStamp(status)
    }

    /// The kind of a name in a folder.
    enum Found {
        /// A file or folder; with its link, if one was followed.
        case entry(FileStatus, isLink: Bool)
        /// A symbolic link that is not followed.
        case skipped(SkippedLink.Fault, isFolder: Bool)

        /// Whether the name leads to a folder; false for a link whose target cannot be resolved.
        var isFolder: Bool {
            switch self {
            case .entry(let status, _): status.kind == .folder
            case .skipped(_, let isFolder): isFolder
            }
        }
    }

    /// Finds the file of a name in a folder; a symbolic link is followed if permitted. `relative` is the path that the name ends.
    ///
    /// - Throws: `changed` if the name is missing by now, or `io`.
    func find(
        _ name: [UInt8], in folder: CInt, _ relative: [UInt8], allowsOutsideLinks: Bool
    ) throws(ArchiveError) -> Found {
        guard let status = CString.with(name, { FileStatus(ofCString: $0, in: folder, followsLinks: false) }) else {
            let cause = Errno(rawValue: errno)
            if cause == .noSuchFileOrDirectory { throw changed(relative) }
            throw ArchiveError(.io, "cannot read", path: display(relative), cause: cause)
        }
        guard status.kind == .link else { return .entry(status, isLink: false) }
        guard let resolved = CString.with(path + [Self.slash] + relative, { realpath($0, nil) }) else {
            return .skipped(errno == ELOOP ? .circle : .broken, isFolder: false)
        }
        defer { free(resolved) }
        let target = CString.bytes(UnsafeRawPointer(resolved))
        let isInside = target == path || target.starts(with: path + [Self.slash])
        if isInside {
            // Reached by handles: a folder on the way may have been exchanged for a link to the outside since.
            guard let linked = statusBeneath(target.dropFirst(path.count)) else { throw changed(relative) }
            return .entry(linked, isLink: true)
        }
        guard let linked = FileStatus(ofCString: resolved, followsLinks: false) else { throw changed(relative) }
        guard allowsOutsideLinks else { return .skipped(.outside, isFolder: linked.kind == .folder) }
        return .entry(linked, isLink: true)
    }

    /// Returns the status of a path below the root, without symbolic links in it; nil if there is one, or the path does not exist.
    private func statusBeneath(_ relative: ArraySlice<UInt8>) -> FileStatus? {
        let components = relative.split(separator: Self.slash).map(Array.init)
        guard let last = components.last else { return FileStatus(of: FileDescriptor(rawValue: descriptor)) }
        var folder = descriptor
        defer { if folder != descriptor { close(folder) } }
        for component in components.dropLast() {
            let next = CString.with(component) { openat(folder, $0, OpenFolder.flags) }
            guard next >= 0 else { return nil }
            if folder != descriptor { close(folder) }
            folder = next
        }
        let status = CString.with(last) { FileStatus(ofCString: $0, in: folder, followsLinks: false) }
        return status?.kind == .link ? nil : status
    }

    /// Returns a link that is not followed, with its target: one that leads out by the whole path, and others by their text.
    func skipped(_ fault: SkippedLink.Fault, _ relative: [UInt8]) -> SkippedLink {
        if fault == .outside, let resolved = CString.with(path + [Self.slash] + relative, { realpath($0, nil) }) {
            defer { free(resolved) }
            let target = String(decoding: CString.bytes(UnsafeRawPointer(resolved)), as: UTF8.self)
            return SkippedLink(fault: fault, path: display(relative), target: target)
        }
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = CString.with(relative) { readlinkat(descriptor, $0, &text, Int(PATH_MAX)) }
        let target =
            count > 0
            ? String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : "an unknown place"
        return SkippedLink(fault: fault, path: display(relative), target: target)
    }

    /// Returns the error of a file or folder that changed or disappeared since it was seen.
    func changed(_ relative: [UInt8]) -> ArchiveError {
        ArchiveError(
            .changed, "the file changed while it was packed; pack again when nothing writes to the folder",
            path: display(relative))
    }
}
