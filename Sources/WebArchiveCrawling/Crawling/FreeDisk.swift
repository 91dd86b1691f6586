// SPDX-License-Identifier: Apache-2.0

import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The free space of a file system.
enum FreeDisk {
    /// Returns the space that this user may take where a file is or will be, in bytes; nil if the system does not say.
    static func bytes(at path: FilePath) -> UInt64? {
        let folder = path.removingLastComponent()
        var status = statvfs()
        guard statvfs(folder.isEmpty ? "." : folder.string, &status) == 0 else { return nil }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? nil : bytes
    }
}
