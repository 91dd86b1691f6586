// SPDX-License-Identifier: Apache-2.0

import SystemPackage

#if canImport(Darwin)
    package import Darwin
#else
    package import Glibc
#endif

/// The number of an open file, whatever names it has. No two files are the same as long as one of them is open.
public struct FileNumber: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// The number of the file that a path leads to; nil if there is none.
    init?(of path: FilePath) {
        var status = stat()
        guard stat(path.string, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The number of an open file.
    init?(of file: FileDescriptor) {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else { return nil }
        self.init(status)
    }

    package init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(status.st_ino)
    }
}
