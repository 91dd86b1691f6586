// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// The bodies of an archive by digest and length: those that bodies of another archive may be equal to.
struct BodyTwins {
    /// The properties of a body that equal ones share, and that different ones may share.
    private struct Name: Hashable {
        let digest: ContentDigest
        let length: UInt64
    }

    /// One row for each name, that of the newest commit.
    private var rows: [Name: UInt32] = [:]

    /// Costs a reading of the rows of all bodies, and memory for each.
    init(_ archive: StoredArchive) throws(ArchiveError) {
        rows.reserveCapacity(archive.bodyCount)
        // The newest commit's first body stays.
        for commit in archive.commits.indices.reversed() {
            for row in archive.rows(.body, ofCommit: commit) {
                let body = try archive.archiveBody(row)
                let name = Name(digest: body.digest, length: body.length)
                if rows[name] == nil { rows[name] = UInt32(row) }
            }
        }
    }

    /// Finds the row of a body with the digest and the length of another one; nil if there is none. Bodies of one digest may differ.
    func row(like body: ArchiveBody) -> UInt32? { rows[Name(digest: body.digest, length: body.length)] }
}
