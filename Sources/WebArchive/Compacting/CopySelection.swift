// SPDX-License-Identifier: Apache-2.0

/// The part of an archive that is copied: the kept entries, and the bodies that these or the metadata refer to.
struct CopySelection {
    private let index: ArchiveIndex
    /// The kept entries, by their rows.
    private var entries: [Bool]
    private var bodies: [Bool]
    /// The bodies of entries that are not kept, by their rows.
    private var droppedBodies: Set<Int> = []
    /// The number of kept entries.
    private(set) var entryCount = 0
    /// The kept records and pages, by their rows.
    private var records: [Bool]
    private var pages: [Bool]
    /// The bodies that the new archive already has, by their rows.
    private var present: [Int: CommitBuilder.BodyReference] = [:]

    /// Selects entries, the records of their parts, and the pages that have one of them.
    ///
    /// - Parameters:
    ///   - keepsOtherRecords: whether records that belong to no entry, and all pages, are kept.
    ///   - isKept: a function that returns whether an entry is kept, called once for each, in the order of the keys.
    init(
        _ reader: ArchiveReader, metadata: [MetadataRow], keepsOtherRecords: Bool,
        keeping isKept: (ArchiveEntry) throws(ArchiveError) -> Bool
    ) throws(ArchiveError) {
        index = reader.index
        entries = [Bool](repeating: false, count: reader.index.rowCount(.entry))
        bodies = [Bool](repeating: false, count: reader.index.rowCount(.body))
        records = [Bool](repeating: false, count: reader.recordCount)
        pages = [Bool](repeating: false, count: reader.pageCount)
        add(metadata)
        try reader.forEachEntry { entry throws(ArchiveError) in
            let parts = try [
                entry.body, entry.requestBody, entry.responseHead, entry.responseWire, entry.requestHead,
                entry.requestWire,
            ]
            guard try isKept(entry) else {
                for case let body? in parts { droppedBodies.insert(body.number) }
                return true
            }
            entries[index.number(.entry, entry.place)] = true
            entryCount += 1
            for case let body? in parts { add(body) }
            return true
        }
        for number in records.indices {
            let record = reader.record(number)
            guard try record.exchange.map(contains) ?? keepsOtherRecords else { continue }
            records[number] = true
            for case let body? in try [record.head, record.block] { add(body) }
        }
        for number in pages.indices {
            var isKept = keepsOtherRecords
            if !isKept { isKept = try hasKeptEntry(reader.page(number), in: reader) }
            guard isKept else { continue }
            pages[number] = true
            for case let body? in try [reader.page(number).text, reader.page(number).screenshot] { add(body) }
        }
    }

    private func hasKeptEntry(_ page: StoredPage, in reader: ArchiveReader) throws(ArchiveError) -> Bool {
        guard let url = try? CanonicalURL(page.page.url) else { return false }
        return try reader.entries(of: url, atMost: 1_000).contains(where: contains)
    }

    /// Returns whether a record is kept.
    func contains(record number: Int) -> Bool { records[number] }

    /// Returns whether a page is kept.
    func contains(page number: Int) -> Bool { pages[number] }

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

    /// Returns whether a body is dropped, other than those that are dictionaries alone.
    func dropsBodies(of archive: StoredArchive) throws(ArchiveError) -> Bool {
        let dictionaries = try archive.dictionaryBodies()
        return bodies.indices.contains {
            !bodies[$0] && (!dictionaries.contains($0) || droppedBodies.contains($0))
        }
    }

    /// Removes a body, which is then copied byte by byte when an entry needs it.
    mutating func remove(body number: Int) { bodies[number] = false }

    /// Sets the bodies that the new archive already has, by their rows.
    mutating func share(_ bodies: [Int: CommitBuilder.BodyReference]) { present = bodies }

    /// Returns the body of the new archive that replaces a body; nil if the body is copied.
    func shared(_ body: ArchiveBody) -> CommitBuilder.BodyReference? { present[body.number] }
}
