// SPDX-License-Identifier: Apache-2.0

/// The entries of an archive that repeat one of an earlier archive: they are stored once.
struct RepeatedEntries {
    private let own: ArchiveReader
    private let earlier: [(reader: ArchiveReader, copy: CopiedArchive)]
    private let shared: SharedBodies

    /// The number of entries of one URL that are compared in one archive; more are not compared, and stay.
    private static let limit = 64

    init(_ archive: StoredArchive, in earlier: [MergedArchive], _ shared: SharedBodies) {
        own = archive.reader.limitedToOnePass()
        self.earlier = earlier.map { ($0.stored.reader.limitedToOnePass(), $0.copy) }
        self.shared = shared
    }

    /// Returns whether an entry adds nothing: it equals the newest one of an earlier archive for the same request and moment.
    func contains(_ entry: ArchiveEntry) throws(ArchiveError) -> Bool {
        let url = try entry.canonicalURL
        for (reader, copy) in earlier.reversed() {
            let others = try sameMoment(as: entry, url, in: reader)
            guard let newest = others.first else { continue }
            // Of several at one moment the newest one of the later argument must win, so none of them may be dropped.
            guard try isEqual(entry, newest, copy) else { return false }
            return try sameMoment(as: entry, url, in: own).count == 1
        }
        return false
    }

    /// Returns the entries for the same request and of the same time, the effective one first.
    private func sameMoment(
        as entry: ArchiveEntry, _ url: CanonicalURL, in reader: ArchiveReader
    ) throws(ArchiveError) -> [ArchiveEntry] {
        let all = try reader.entries(of: url, atMost: Self.limit)
        guard !all.isEmpty, all.count < Self.limit else { return [] }
        let (time, method, digest) = try (entry.time, entry.method, entry.requestBody?.digest)
        var found: [ArchiveEntry] = []
        for other in all {
            guard try other.time == time, try other.isFor(method: method, bodyDigest: digest) else { continue }
            found.append(other)
        }
        return found
    }

    private func isEqual(
        _ entry: ArchiveEntry, _ other: ArchiveEntry, _ copy: CopiedArchive
    ) throws(ArchiveError) -> Bool {
        guard try entry.role == other.role, try isShared(entry.body, other.body, copy),
            try isShared(entry.requestBody, other.requestBody, copy), try entry.response == other.response
        else { return false }
        let (request, same) = try (entry.request, other.request)
        return request == same
    }

    private func isShared(_ body: ArchiveBody?, _ other: ArchiveBody?, _ copy: CopiedArchive) -> Bool {
        guard let body, let other else { return body == nil && other == nil }
        guard let reference = shared.references[body.number] else { return false }
        return copy.bodies.known(other)?.number == reference.number
    }
}
