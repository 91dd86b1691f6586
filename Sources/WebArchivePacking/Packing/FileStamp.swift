// SPDX-License-Identifier: Apache-2.0

import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The identity of a file, and properties that change with its content.
struct FileStamp: Hashable, Sendable {
    let number: FileNumber
    let length: UInt64
    /// Times in nanoseconds since 1970.
    let modified: Int64
    let changed: Int64

    init(_ status: stat) {
        number = FileNumber(status)
        length = UInt64(max(0, status.st_size))
        modified = Self.nanoseconds(status.modificationTime)
        changed = Self.nanoseconds(status.changeTime)
    }

    /// Times beyond 64 bits of nanoseconds (before 1677, after 2262) count as unknown.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        ArchiveTime(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))?.nanoseconds ?? 0
    }
}
