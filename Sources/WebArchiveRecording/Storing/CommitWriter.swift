// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// A writer of pending exchanges into one commit.
struct CommitWriter {
    private let builder: CommitBuilder
    private let bodies: GroupedBodies

    /// The number of commits from which on compacting is considered, and at which it comes in any case.
    private static let manyCommits = 64
    private static let maximumCommitCount = 768

    /// Appends to the archive, or creates it if it is missing.
    ///
    /// - Throws: errors of ``ArchiveWriter``.
    init(_ path: FilePath) throws(ArchiveError) {
        builder = try CommitBuilder.appendingOrCreating(path)
        bodies = GroupedBodies(builder)
    }

    /// Writes the exchanges in their order, calls `adding`, and makes all of it visible.
    ///
    /// - Returns: the errors of exchanges that cannot be stored, which are left out.
    /// - Throws: `io`, `poisoned`, `limitExceeded` and errors of `adding`; nothing was written then.
    func write(
        _ batch: [StoredForm], adding: ((CommitBuilder, GroupedBodies) throws(ArchiveError) -> Void)?
    ) throws(ArchiveError) -> [ArchiveError] {
        var refused: [ArchiveError] = []
        defer { builder.cancel() }
        for form in batch {
            do throws(ArchiveError) {
                try add(form)
            } catch {
                // These say that the builder or the file itself cannot continue; all others are about one exchange.
                if error.code == .io || error.code == .poisoned { throw error }
                refused.append(error)
            }
        }
        try adding?(builder, bodies)
        try bodies.finish()
        try builder.commit()
        return refused
    }

    private func add(_ form: StoredForm) throws(ArchiveError) {
        let requestBody = try form.requestBody.mapTyped { body throws(ArchiveError) in
            try bodies.add(body, kind: "request", digest: form.requestDigest)
        }
        let kind = form.response.mediaType ?? ""
        let body = try form.body.mapTyped { body throws(ArchiveError) in
            try bodies.add(body, kind: kind, digest: form.digest)
        }
        var originals = OriginalBodies()
        originals.response.head = try form.originalHead.mapTyped { head throws(ArchiveError) in
            try head.withBytes { (bytes) throws(ArchiveError) in try bodies.add(bytes, kind: "head") }
        }
        originals.response.wire = try form.wire.mapTyped { wire throws(ArchiveError) in
            try bodies.add(wire, kind: "wire")
        }
        try builder.add(
            form.request, requestBody: requestBody, response: form.response, body: body, time: form.time,
            originals: originals)
    }

    /// Returns whether an archive has more commits than lookups should search, and merging them copies no more than was added since the last time.
    static func isCompactionDue(_ archive: ArchiveReader) throws(ArchiveError) -> Bool {
        guard archive.commitCount >= manyCommits else { return false }
        let first = StoredArchive(archive).commits.first?.length ?? 0
        return archive.commitCount >= maximumCommitCount || archive.fileLength - min(first, archive.fileLength) > first
    }
}
