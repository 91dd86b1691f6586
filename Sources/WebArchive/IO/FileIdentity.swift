// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What tells that another file has come under a name, or that the file has changed; all zero for a file that is not there.
package struct FileIdentity: Equatable, Sendable {
    private var device: UInt64 = 0
    private var number: UInt64 = 0
    private var length: Int64 = 0
    private var seconds: Int64 = 0
    private var nanoseconds: Int64 = 0

    package init(of path: FilePath) {
        var status = stat()
        guard stat(path.string, &status) == 0 else { return }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(status.st_ino)
        length = Int64(status.st_size)
        seconds = Int64(status.modificationTime.tv_sec)
        nanoseconds = Int64(status.modificationTime.tv_nsec)
    }
}
