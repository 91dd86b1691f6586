// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The identity of a file's contents, and the time of the last change of the file or its status.
struct FileStamp: Hashable, Sendable {
    /// The number of the file, its length and the time of the last change of its contents.
    let identity: FileIdentity
    /// The time in nanoseconds since 1970.
    let changed: Int64

    /// The length in bytes.
    var length: UInt64 { identity.length }
    /// The time of the last change of the contents, in nanoseconds since 1970.
    var modified: Int64 { identity.modified }

    init(_ status: FileStatus) { (identity, changed) = (status.identity, status.changed) }
}
