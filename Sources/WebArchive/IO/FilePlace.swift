// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The name of a file in an open folder.
///
/// Outputs are created, renamed and removed by one of these. A path could lead to another folder at each use, if another user may write to one
/// of its ancestors.
package struct FilePlace: Sendable {
    /// The folder.
    package let folder: OpenFolder
    /// The path, for messages.
    package let path: FilePath
    private let name: FilePath.Component

    /// Opens the folder of a file. The file need not exist, and a symbolic link of its name is not followed.
    ///
    /// - Throws: `io` if the folder cannot be opened, also for a link in the path that another user may have made.
    package init(_ path: FilePath) throws(ArchiveError) {
        self.init(path, in: try OpenFolder(path.removingLastComponent()))
    }

    /// The place of a path's last component in a folder that is already open.
    package init(_ path: FilePath, in folder: OpenFolder) {
        (self.path, self.folder, name) = (path, folder, path.lastComponent ?? ".")
    }

    private init(_ folder: OpenFolder, _ path: FilePath, _ name: FilePath.Component) {
        (self.folder, self.path, self.name) = (folder, path, name)
    }

    /// Opens the folder of the file that symbolic links lead to: a renamed file must not replace a link.
    ///
    /// - Parameters:
    ///   - isNew: whether the file may be missing: a link without a target is then replaced.
    ///   - stopsAtDescriptors: whether a link in the system's folder of open files (``OpenFolder/isOfDescriptors``) is not followed: it can lead to a
    ///     pipe, which has no name.
    /// - Throws: `io` for a link without a target or one that another user may have made; as ``init(_:)``.
    package init(
        following path: FilePath, isNew: Bool = false, stopsAtDescriptors: Bool = false
    ) throws(ArchiveError) {
        var place = try FilePlace(path)
        if isNew, place.status(followsLinks: true) == nil {
            self = place
            return
        }
        // Systems follow 40 at most.
        for _ in 0...40 {
            let isDescriptor = stopsAtDescriptors && place.folder.isOfDescriptors
            guard let status = place.status(), status.kind == .link, !isDescriptor else {
                self = place
                return
            }
            guard place.folder.isTrusted(status), place.status(followsLinks: true) != nil,
                let target = place.folder.target(of: place.name, status)
            else { break }
            place = FilePlace(
                target.isAbsolute ? target : place.path.removingLastComponent().pushing(target),
                in: try OpenFolder(target.removingLastComponent(), in: place.folder))
        }
        throw OpenFolder.notFollowed(place.path)
    }

    /// Returns another name in the same folder.
    package func sibling(_ name: String) -> FilePlace {
        FilePlace(path.removingLastComponent().appending(name), in: folder)
    }

    /// Returns the name with an ending: by default `.partial`, for a file that is being written.
    package func with(ending: String = ".partial") -> FilePlace {
        FilePlace(folder, FilePath(path.string + ending), FilePath.Component(name.string + ending) ?? name)
    }

    /// Reads the status of the file with the name now; nil if there is none; `errno` has the reason.
    ///
    /// - Parameter followsLinks: whether a symbolic link represents its target.
    package func status(followsLinks: Bool = false) -> FileStatus? {
        name.withPlatformString {
            FileStatus(ofCString: $0, in: folder.descriptor.rawValue, followsLinks: followsLinks)
        }
    }

    /// Opens the file, never through a symbolic link, and without waiting for the other end of a pipe.
    ///
    /// - Throws: an error of the system.
    package func open(
        _ mode: FileDescriptor.AccessMode, options: FileDescriptor.OpenOptions = [], permissions: FilePermissions = []
    ) throws -> FileDescriptor {
        let flags = mode.rawValue | options.union([.closeOnExec, .noFollow, .nonBlocking]).rawValue
        let number = name.withPlatformString {
            openat(folder.descriptor.rawValue, $0, flags, mode_t(permissions.rawValue))
        }
        guard number >= 0 else { throw Errno(rawValue: errno) }
        return FileDescriptor(rawValue: number)
    }

    /// Opens an existing file for appending. A link in the system's folder of open files leads to the file that is open, with or without a name.
    ///
    /// - Throws: an error of the system.
    package func openDescriptorToAppend() throws -> FileDescriptor {
        precondition(folder.isOfDescriptors, "no other user can make such a link there")
        let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK
        let number = name.withPlatformString { openat(folder.descriptor.rawValue, $0, flags) }
        guard number >= 0 else { throw Errno(rawValue: errno) }
        return FileDescriptor(rawValue: number)
    }

    /// Opens the file for reading.
    ///
    /// - Throws: `io`, also for a symbolic link and a file that is not regular.
    package func opened() throws(ArchiveError) -> FileByteSource {
        do {
            let file = try open(.readOnly)
            return try file.closeAfter {
                guard FileStatus(of: file)?.isRegular == true else {
                    throw ArchiveError(.io, "not a regular file", path: path.string)
                }
                return try FileByteSource(of: file, name: path)
            }
        } catch {
            throw error as? ArchiveError ?? ArchiveError(.io, "cannot open the file", path: path.string, cause: error)
        }
    }

    /// Creates a folder.
    ///
    /// - Returns: whether it was created; `errno` has the reason if not.
    package func makeFolder(_ permissions: FilePermissions) -> Bool {
        name.withPlatformString { mkdirat(folder.descriptor.rawValue, $0, mode_t(permissions.rawValue)) } == 0
    }

    /// Removes an empty folder, without an error if that fails.
    package func removeFolder() {
        _ = name.withPlatformString { unlinkat(folder.descriptor.rawValue, $0, AT_REMOVEDIR) }
    }

    /// Removes the file, without an error if that fails.
    package func remove() { _ = name.withPlatformString { unlinkat(folder.descriptor.rawValue, $0, 0) } }

    /// Renames the file.
    ///
    /// - Throws: an error of the system.
    func rename(to new: FilePlace) throws {
        let result = name.withPlatformString { old in
            new.name.withPlatformString {
                renameat(folder.descriptor.rawValue, old, new.folder.descriptor.rawValue, $0)
            }
        }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    /// Makes a second name of the file.
    ///
    /// - Returns: whether the file system has hard links, and the name was not in use.
    package func link(to new: FilePlace) -> Bool {
        name.withPlatformString { old in
            new.name.withPlatformString {
                linkat(folder.descriptor.rawValue, old, new.folder.descriptor.rawValue, $0, 0)
            }
        } == 0
    }
}
