// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The number of an open file, the same for all its names: device and inode (`stat(2)`).
///
/// No two files have the same as long as one of them is open.
public struct FileNumber: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// Returns whether another file is on the same device.
    func isOnDevice(of other: FileNumber) -> Bool { device == other.device }

    fileprivate init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(status.st_ino)
    }
}

/// The identity of a file's current contents: device, inode, length and modification time.
package struct FileIdentity: Hashable, Sendable {
    /// The number of the file.
    package let number: FileNumber
    /// The length, in bytes.
    package let length: UInt64
    /// The time of the last change of the contents, in nanoseconds since 1970. Times beyond 64 bits (before 1677, after 2262) are 0.
    package let modified: Int64
}

/// The status of a file, as of `stat(2)`.
package struct FileStatus: Sendable {
    /// The kinds of files that are distinguished.
    package enum Kind: Sendable { case regular, folder, link, other }

    /// The number, the length and the time of the last change of the contents.
    package let identity: FileIdentity
    /// The kind of the file.
    package let kind: Kind
    /// The space that it takes, in bytes: less than its length if it has holes.
    package let allocatedLength: UInt64
    /// The permissions, with the bits above those to read, write and execute.
    package let permissions: FilePermissions
    /// The number of the user who owns it.
    package let owner: UInt32
    /// The number of its group.
    package let group: UInt32
    /// The time of the last change of contents or status; as ``FileIdentity/modified``.
    package let changed: Int64

    /// The number of the file.
    package var number: FileNumber { identity.number }
    /// The length, in bytes.
    package var length: UInt64 { identity.length }
    /// Whether it is a regular file.
    package var isRegular: Bool { kind == .regular }
    /// Whether it is a regular file of this user.
    package var isOwnFile: Bool { isRegular && owner == geteuid() }

    /// Returns whether another file has the same owner, group and permissions.
    func hasSameAccess(as other: FileStatus) -> Bool {
        (owner, group, permissions) == (other.owner, other.group, other.permissions)
    }

    private init(_ status: stat) {
        identity = FileIdentity(
            number: FileNumber(status), length: UInt64(max(0, status.st_size)),
            modified: Self.nanoseconds(status.modificationTime))
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .folder
        case S_IFLNK: kind = .link
        default: kind = .other
        }
        permissions = FilePermissions(rawValue: status.st_mode & 0o7777)
        owner = status.st_uid
        group = status.st_gid
        changed = Self.nanoseconds(status.changeTime)
        // Units of 512 bytes on every system.
        allocatedLength = UInt64(clamping: max(0, status.st_blocks)).multipliedSaturated(by: 512)
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        ArchiveTime(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))?.nanoseconds ?? 0
    }

    /// Reads the status of a path; nil if the file does not exist, or its status cannot be read; `errno` has the reason.
    ///
    /// - Parameter followsLinks: whether a symbolic link represents its target, as it does by default.
    package init?(of path: FilePath, followsLinks: Bool = true) {
        var status = stat()
        guard (followsLinks ? stat(path.string, &status) : lstat(path.string, &status)) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the status of an open file; nil if that fails; `errno` has the reason.
    package init?(of file: FileDescriptor) {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the status of a path of any bytes. As ``init(of:followsLinks:)``.
    ///
    /// - Parameters:
    ///   - path: the path, which ends with a zero byte.
    ///   - folder: an open folder, in which a relative path starts; nil for the current one.
    package init?(ofCString path: UnsafePointer<CChar>, in folder: CInt? = nil, followsLinks: Bool = true) {
        var status = stat()
        guard fstatat(folder ?? AT_FDCWD, path, &status, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else {
            return nil
        }
        self.init(status)
    }
}

extension stat {
    fileprivate var modificationTime: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }

    fileprivate var changeTime: timespec {
        #if canImport(Darwin)
            st_ctimespec
        #else
            st_ctim
        #endif
    }
}
