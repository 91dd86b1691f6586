// SPDX-License-Identifier: Apache-2.0

import CWebArchiveSystem
package import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An open folder, in which files are reached by name: another folder that takes its path meanwhile stays untouched.
package final class OpenFolder: Sendable {
    #if canImport(Darwin)
        /// The flags for `open(2)`: a folder in which names are looked up, and that may not be readable.
        package static let flags = O_EXEC | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    #else
        // O_PATH, which Swift's module of the C library leaves out.
        private static let pathOnly: CInt = 0o10_000_000
        /// The flags for `open(2)`: a folder in which names are looked up, and that may not be readable.
        package static let flags = pathOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    #endif

    /// The folders that are created if they are missing.
    package enum Creation: Sendable {
        case none
        /// All of the path, with the permissions that `umask` leaves.
        case usual
        /// All of the path, readable by all users regardless of `umask`, unless others may exchange the folder.
        case readableByAll
    }

    /// The open folder, which is closed with this object.
    package let descriptor: FileDescriptor

    /// Takes a folder that is already open.
    package init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    /// Opens a folder component by component, so that the checked folder is the used one.
    ///
    /// - Parameters:
    ///   - path: the path; the current folder if it is empty.
    ///   - start: the folder in which a relative path starts; nil, the default, for the current one.
    ///   - creation: the folders that are created; none by default.
    /// - Throws: `io`, also for a symbolic link that another user may have made.
    package init(_ path: FilePath, in start: OpenFolder? = nil, creating creation: Creation = .none)
        throws(ArchiveError)
    {
        var links = 40
        descriptor = try Self.open(path, in: start?.descriptor.rawValue ?? AT_FDCWD, creation, &links)
    }

    deinit { try? descriptor.close() }

    /// - Parameter links: the number of links that may still be followed; systems follow 40 at most.
    private static func open(
        _ path: FilePath, in start: CInt, _ creation: Creation, _ links: inout Int
    ) throws(ArchiveError) -> FileDescriptor {
        var folder = FileDescriptor(rawValue: openat(start, path.isAbsolute ? "/" : ".", flags))
        guard folder.rawValue >= 0 else { throw failure("cannot open the folder", path) }
        let components = path.components
        for index in components.indices {
            let parent = folder
            defer { try? parent.close() }
            func reached() -> FilePath { FilePath(root: path.root, components[...index]) }
            folder = try next(components[index], in: parent, reached, creation, &links)
        }
        return folder
    }

    private static func next(
        _ component: FilePath.Component, in parent: FileDescriptor, _ reached: () -> FilePath,
        _ creation: Creation, _ links: inout Int
    ) throws(ArchiveError) -> FileDescriptor {
        func opened() -> CInt { component.withPlatformString { openat(parent.rawValue, $0, flags) } }
        var folder = opened()
        if folder < 0, errno == ENOENT, creation != .none {
            let isNew = component.withPlatformString { mkdirat(parent.rawValue, $0, 0o777) } == 0
            guard isNew || errno == EEXIST else { throw failure("cannot create the folder", reached()) }
            folder = opened()
            // Another user who may exchange it could have done so by now.
            if isNew, folder >= 0, creation == .readableByAll, isClosedToOthers(parent) { openToAll(folder) }
        }
        if folder >= 0 { return FileDescriptor(rawValue: folder) }
        let error = failure("cannot open the folder", reached())
        guard [.tooManySymbolicLinkLevels, .notDirectory].contains(error.cause as? Errno),
            let status = component.withPlatformString({
                FileStatus(ofCString: $0, in: parent.rawValue, followsLinks: false)
            }), status.kind == .link
        else { throw error }
        guard isTrusted(status, in: parent), links > 0, let target = target(of: component, status, in: parent) else {
            throw notFollowed(reached())
        }
        links -= 1
        return try open(target, in: parent.rawValue, .none, &links)
    }

    /// Lets all users read a folder of this user. A failure has no effect.
    private static func openToAll(_ folder: CInt) {
        guard FileStatus(of: FileDescriptor(rawValue: folder))?.owner == geteuid() else { return }
        let readable = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        _ = fchmod(readable, 0o755)
        close(readable)
    }

    /// Whether this is a folder of Linux's proc file system, where only the system makes links, such as those of `/proc/self/fd`.
    package var isOfDescriptors: Bool { webarchive_is_in_proc(descriptor.rawValue) }

    /// Returns whether a link in this folder belongs to this user or root, or only they could have moved it there.
    ///
    /// Linux itself (`fs.protected_symlinks`) distrusts only links in folders with the sticky bit.
    func isTrusted(_ link: FileStatus) -> Bool { Self.isTrusted(link, in: descriptor) }

    private static func isTrusted(_ link: FileStatus, in folder: FileDescriptor) -> Bool {
        isOwnOrRoots(link) || isClosedToOthers(folder)
    }

    /// Whether no user but this one and root may exchange files of the folder, or the folder itself.
    ///
    /// It costs three system calls for each ancestor.
    var isClosedToOthers: Bool { Self.isClosedToOthers(descriptor) }

    private static func isClosedToOthers(_ folder: FileDescriptor) -> Bool {
        guard let status = FileStatus(of: folder), isOwnOrRoots(status),
            status.permissions.isDisjoint(with: [.groupWrite, .otherWrite])
        else { return false }
        return hasClosedAncestors(folder, status)
    }

    private static func hasClosedAncestors(_ folder: FileDescriptor, _ status: FileStatus) -> Bool {
        let above = FileDescriptor(rawValue: openat(folder.rawValue, "..", flags))
        guard above.rawValue >= 0 else { return false }
        defer { try? above.close() }
        guard let next = FileStatus(of: above) else { return false }
        if next.number == status.number { return true }
        // In a folder with the sticky bit, only the owners of folders may move these.
        guard isOwnOrRoots(next),
            next.permissions.contains(.saveText) || next.permissions.isDisjoint(with: [.groupWrite, .otherWrite])
        else { return false }
        return hasClosedAncestors(above, next)
    }

    private static func isOwnOrRoots(_ status: FileStatus) -> Bool { status.owner == geteuid() || status.owner == 0 }

    /// Returns the text of a symbolic link in this folder; nil if it cannot be read.
    ///
    /// - Parameter status: the status of the link; nil is returned for any other link.
    func target(of link: FilePath.Component, _ status: FileStatus) -> FilePath? {
        Self.target(of: link, status, in: descriptor)
    }

    private static func target(
        of link: FilePath.Component, _ status: FileStatus, in folder: FileDescriptor
    ) -> FilePath? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        return link.withPlatformString { name in
            guard readlinkat(folder.rawValue, name, &bytes, Int(PATH_MAX)) > 0,
                let now = FileStatus(ofCString: name, in: folder.rawValue, followsLinks: false),
                // Renaming a link changes the time of its status.
                (now.number, now.changed) == (status.number, status.changed)
            else { return nil }
            return FilePath(platformString: bytes)
        }
    }

    /// Returns the error of a symbolic link that is not followed.
    static func notFollowed(_ path: FilePath) -> ArchiveError {
        ArchiveError(
            .io,
            "broken symbolic link, or one that another user may have made; give its target instead",
            path: path.string)
    }

    /// Returns an error with the reason in `errno`, so no other call may come between.
    private static func failure(_ message: String, _ path: @autoclosure () -> FilePath) -> ArchiveError {
        let reason = Errno(rawValue: errno)
        return ArchiveError(.io, message, path: path().string, cause: reason)
    }

    /// Waits until new names are on disk.
    ///
    /// - Throws: an error of the system.
    func synchronise() throws {
        let readable = openat(descriptor.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard readable >= 0 else { throw Errno(rawValue: errno) }
        defer { close(readable) }
        // Some file systems cannot synchronise a folder, and report EINVAL; no alternative exists.
        if fsync(readable) != 0, errno != EINVAL { throw Errno(rawValue: errno) }
    }
}
