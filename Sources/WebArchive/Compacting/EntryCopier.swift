// SPDX-License-Identifier: Apache-2.0

/// A copier of the entries and the metadata of an archive into one commit. Specification sections 7 and 8.
struct EntryCopier {
    private let reader: ArchiveReader
    /// Whether entries that cannot be read are left out, and not the end of the copy.
    private let leavesOutDamaged: Bool
    /// Why entries were left out.
    private(set) var damage: [ArchiveError] = []
    private var bodies: BodyCopier
    /// Nil for all entries.
    private let selection: CopySelection?
    private var builder: CommitBuilder { bodies.builder }
    /// Hashes of the properties that an alias shares with the entry that it stands for.
    private var aliasHashes: Set<Int> = []
    private var shared: [Int: [Added]] = [:]

    private struct Added {
        let entry: ArchiveEntry
        let reference: CommitBuilder.EntryReference
    }

    init(_ reader: ArchiveReader, bodies: BodyCopier, _ selection: CopySelection?, leavesOutDamaged: Bool) {
        self.reader = reader
        self.bodies = bodies
        self.selection = selection
        self.leavesOutDamaged = leavesOutDamaged
    }

    mutating func run(metadata: [MetadataRow]) throws(ArchiveError) {
        try findAliases()
        var group: [ArchiveEntry] = []
        var key: [UInt8] = []
        func copyGroup(_ copier: inout EntryCopier) throws(ArchiveError) {
            // Among equal times the entry that is written later is the newer one, and they come newest first.
            for entry in group.reversed() { try copier.copyUnlessDamaged(entry) }
            group.removeAll(keepingCapacity: true)
        }
        try forEachWantedEntry { entry throws(ArchiveError) in
            let next = try entry.keyBytes
            if next != key { try copyGroup(&self) }
            key = next
            group.append(entry)
        }
        try copyGroup(&self)
        try copyMetadata(metadata)
    }

    private func forEachWantedEntry(
        _ work: (ArchiveEntry) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        try reader.limitedToOnePass().forEachEntry { entry throws(ArchiveError) in
            if selection?.contains(entry) ?? true { try work(entry) }
            return true
        }
    }

    private func copyMetadata(_ rows: [MetadataRow]) throws(ArchiveError) {
        for row in rows.sorted(by: { $0.nameBytes.lexicographicallyPrecedes($1.nameBytes) }) {
            // A name without a value hides earlier ones, which are gone.
            guard row.text != nil || row.body != nil else { continue }
            try builder.setMetadata(row, to: row.body.mapTyped(bodies.reference))
        }
    }

    // MARK: - Aliases

    /// Only the responses of aliases are remembered, so that memory does not grow with the other entries.
    private mutating func findAliases() throws(ArchiveError) {
        var hashes: Set<Int> = []
        try forEachWantedEntry { entry throws(ArchiveError) in
            do throws(ArchiveError) {
                if try entry.role == .alias { hashes.insert(try Self.hash(entry)) }
            } catch  where error.code == .damaged {
                // Copying the entry meets it again.
            }
        }
        aliasHashes = hashes
    }

    private static func hash(_ entry: ArchiveEntry) throws(ArchiveError) -> Int {
        var hasher = Hasher()
        hasher.combine(try entry.time)
        hasher.combine(try entry.response)
        hasher.combine(try entry.body?.digest)
        return hasher.finalize()
    }

    /// An entry with the same response that was copied before, of which this one can be an alias.
    private func original(of entry: ArchiveEntry, among candidates: [Added]) throws(ArchiveError) -> Added? {
        let request = try entry.request
        // The builder gives an alias the request and the time of its original, and the URL that is its key.
        guard request.method == "GET", request.headers.isEmpty, try request.url == entry.key else { return nil }
        for candidate in candidates {
            let other = try candidate.entry.request
            if try entry.sharesResponse(with: candidate.entry), try entry.time == candidate.entry.time,
                other.method == "GET", other.headers.isEmpty, try entry.requestBody == nil,
                try candidate.entry.requestBody == nil
            {
                return candidate
            }
        }
        return nil
    }

    // MARK: - Entries

    private mutating func copyUnlessDamaged(_ entry: ArchiveEntry) throws(ArchiveError) {
        do throws(ArchiveError) {
            try copy(entry)
        } catch  where error.code == .damaged {
            guard leavesOutDamaged else {
                throw ArchiveError(
                    .damaged, "\(error.message); compact into another file to leave such entries out",
                    path: error.path, offset: error.offset, cause: error.cause)
            }
            damage.append(error)
        }
    }

    private mutating func copy(_ entry: ArchiveEntry) throws(ArchiveError) {
        bodies.progress.addEntry()
        let hash = aliasHashes.isEmpty ? 0 : try Self.hash(entry)
        guard aliasHashes.contains(hash) else {
            _ = try add(entry)
            return
        }
        if let original = try original(of: entry, among: shared[hash] ?? []) {
            try builder.addAlias(entry.canonicalURL, of: original.reference, role: entry.role)
        } else {
            shared[hash, default: []].append(Added(entry: entry, reference: try add(entry)))
        }
    }

    private func add(_ entry: ArchiveEntry) throws(ArchiveError) -> CommitBuilder.EntryReference {
        // The builder would take a stored text that is no URL for a wrong argument, and one of another URL for another key.
        let (key, request) = (try entry.canonicalURL, try entry.request)
        guard (try? CanonicalURL(request.url)) == key else {
            throw .damaged("\(key) was asked for by what is another URL, or none")
        }
        _ = try entry.redirectURL
        return try builder.add(
            request, requestBody: entry.requestBody.mapTyped(bodies.reference), response: entry.response,
            body: entry.body.mapTyped(bodies.reference), time: entry.time, role: entry.role)
    }
}
