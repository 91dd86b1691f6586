// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The status of a file, for modules that import Foundation: the name `stat` may stand in another module there, by the order in which
/// the compiler happens to read them.
package struct FileStatus: Sendable {
    package let isRegular: Bool
    /// In bytes.
    package let length: Int64
    package let permissions: FilePermissions
    /// The number of the user that it belongs to.
    package let owner: UInt32

    private init(_ status: stat) {
        isRegular = status.st_mode & S_IFMT == S_IFREG
        length = Int64(status.st_size)
        permissions = FilePermissions(rawValue: status.st_mode & 0o7777)
        owner = status.st_uid
    }

    /// Whether it is a regular file of this user.
    package var isOwnFile: Bool { isRegular && owner == geteuid() }

    /// Nil if there is no such file, or it cannot be looked at.
    ///
    /// - Parameter followsLinks: whether a symbolic link stands for what it leads to.
    package init?(of path: FilePath, followsLinks: Bool = true) {
        var status = stat()
        guard (followsLinks ? stat(path.string, &status) : lstat(path.string, &status)) == 0 else { return nil }
        self.init(status)
    }

    package init?(of file: FileDescriptor) {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else { return nil }
        self.init(status)
    }
}
