// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A mark by which another file under a name, or a change of the file, is told; empty for a file that is not there.
package struct FileIdentity: Equatable, Sendable {
    private var number: FileNumber?
    private var length: Int64 = 0
    private var seconds: Int64 = 0
    private var nanoseconds: Int64 = 0

    package init(of path: FilePath) {
        var status = stat()
        guard stat(path.string, &status) == 0 else { return }
        number = FileNumber(status)
        length = Int64(status.st_size)
        seconds = Int64(status.modificationTime.tv_sec)
        nanoseconds = Int64(status.modificationTime.tv_nsec)
    }
}
