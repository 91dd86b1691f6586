// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The identity of a file's contents, and the time of the last change of the file or its status.
struct FileStamp: Hashable, Sendable {
    let identity: FileIdentity
    /// The time in nanoseconds since 1970.
    let changed: Int64

    var length: UInt64 { identity.length }
    var modified: Int64 { identity.modified }

    init(_ status: FileStatus) { (identity, changed) = (status.identity, status.changed) }
}
