// SPDX-License-Identifier: Apache-2.0

/// The part of an archive that is copied: the kept entries, and the bodies that these or the metadata refer to.
struct CopySelection {
    private let index: ArchiveIndex
    /// The kept entries, by their rows.
    private var entries: [Bool]
    private var bodies: [Bool]
    /// The number of kept entries.
    private(set) var entryCount = 0
    /// The bodies that the new archive already has, by their rows.
    private var present: [Int: CommitBuilder.BodyReference] = [:]

    /// - Parameter isKept: a function that returns whether an entry is kept, called once for each, in the order of the keys.
    init(
        _ reader: ArchiveReader, metadata: [MetadataRow],
        keeping isKept: (ArchiveEntry) throws(ArchiveError) -> Bool
    ) throws(ArchiveError) {
        index = reader.index
        entries = [Bool](repeating: false, count: reader.index.rowCount(.entry))
        bodies = [Bool](repeating: false, count: reader.index.rowCount(.body))
        add(metadata)
        try reader.forEachEntry { entry throws(ArchiveError) in
            guard try isKept(entry) else { return true }
            entries[index.number(.entry, entry.place)] = true
            entryCount += 1
            if let body = try entry.body { add(body) }
            if let body = try entry.requestBody { add(body) }
            return true
        }
    }

    /// Adds the bodies of metadata.
    mutating func add(_ metadata: [MetadataRow]) {
        for row in metadata { if let body = row.body { add(body) } }
    }

    private mutating func add(_ body: ArchiveBody) { bodies[index.number(.body, body.place)] = true }

    /// Returns whether an entry is kept.
    func contains(_ entry: ArchiveEntry) -> Bool { entries[index.number(.entry, entry.place)] }

    /// Returns whether a body is kept and must be copied.
    func contains(_ body: StoredArchive.Body) -> Bool { contains(body.body) }

    /// Returns whether a body is kept and must be copied.
    func contains(_ body: ArchiveBody) -> Bool { bodies[body.number] && present[body.number] == nil }

    /// Returns whether a body is dropped, other than those of dictionaries.
    func dropsBodies(of archive: StoredArchive) throws(ArchiveError) -> Bool {
        let dictionaries = try archive.dictionaryBodies()
        return bodies.indices.contains { !bodies[$0] && !dictionaries.contains($0) }
    }

    /// Removes a body, which is then copied byte by byte when an entry needs it.
    mutating func remove(body number: Int) { bodies[number] = false }

    /// Sets the bodies that the new archive already has, by their rows.
    mutating func share(_ bodies: [Int: CommitBuilder.BodyReference]) { present = bodies }

    /// Returns the body of the new archive that replaces a body; nil if the body is copied.
    func shared(_ body: ArchiveBody) -> CommitBuilder.BodyReference? { present[body.number] }
}
