// SPDX-License-Identifier: Apache-2.0

/// A copier of the entries and the metadata of an archive into one commit. Specification sections 7 and 8.
struct EntryCopier {
    private let reader: ArchiveReader
    /// Whether entries that cannot be read are left out, instead of ending the copy.
    private let leavesOutDamaged: Bool
    /// The number of copied entries.
    private(set) var count = 0
    /// The number of copied records.
    private(set) var recordCount = 0
    /// The reasons why entries and metadata were left out.
    private(set) var damage: [ArchiveError] = []
    private var bodies: BodyCopier
    /// The selected entries; nil for all.
    private let selection: CopySelection?
    private var builder: CommitBuilder { bodies.builder }
    /// The responses of aliases, and the entries of those that later ones can be an alias of.
    private var aliasResponses: Set<SharedResponse> = []
    private var originals: [SharedResponse: CommitBuilder.EntryReference] = [:]
    /// The copied entries by their rows, where records refer to entries; empty otherwise.
    private var copied: [Int: CommitBuilder.EntryReference] = [:]

    /// The properties that an alias shares with the entry that it represents.
    private struct SharedResponse: Hashable {
        let isRedirect: Bool
        let row: RowPlace
        let time: ArchiveTime?
    }

    init(_ reader: ArchiveReader, bodies: BodyCopier, _ selection: CopySelection?, leavesOutDamaged: Bool) {
        self.reader = reader
        self.bodies = bodies
        self.selection = selection
        self.leavesOutDamaged = leavesOutDamaged
    }

    /// Copies entries in the order of their keys, then the metadata in the order of its names.
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
        try copyRecords()
        try copyPages()
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

    private mutating func copyMetadata(_ rows: [MetadataRow]) throws(ArchiveError) {
        for row in rows.sorted(by: { $0.nameBytes.lexicographicallyPrecedes($1.nameBytes) }) {
            // A name without a value hides earlier ones, which are gone.
            guard row.text != nil || row.body != nil else { continue }
            try unlessDamaged("metadata \(String(untrusted: row.nameBytes))") { (copier) throws(ArchiveError) in
                try copier.builder.setMetadata(row, to: row.body.mapTyped(copier.bodies.reference))
            }
        }
    }

    // MARK: - Aliases

    /// Finds the responses of aliases. Only these are remembered, so that memory does not grow with the other entries.
    private mutating func findAliases() throws(ArchiveError) {
        var responses: Set<SharedResponse> = []
        try forEachWantedEntry { entry throws(ArchiveError) in
            do throws(ArchiveError) {
                if try entry.role == .alias, let response = try Self.response(of: entry) { responses.insert(response) }
            } catch  where error.code == .damaged {
                // Copying the entry meets it again.
            }
        }
        aliasResponses = responses
    }

    private static func response(of entry: ArchiveEntry) throws(ArchiveError) -> SharedResponse? {
        guard let (keys, row) = try entry.answerRow else { return nil }
        return SharedResponse(isRedirect: keys.status.owner == .redirect, row: row, time: try entry.time)
    }

    // MARK: - Entries

    /// Performs a step of the copy, and records damage if damaged parts are left out; otherwise throws it.
    ///
    /// - Parameter name: the name of the part that is left out, for people.
    private mutating func unlessDamaged(
        _ name: @autoclosure () -> String?, _ work: (inout EntryCopier) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        do throws(ArchiveError) {
            try work(&self)
        } catch  where error.code == .damaged {
            guard leavesOutDamaged else {
                throw ArchiveError(
                    .damaged, "\(error.message); compact into another file to omit such entries",
                    path: error.path, offset: error.offset, cause: error.cause)
            }
            damage.append(
                ArchiveError(
                    .damaged, (name().map { "\($0): " } ?? "") + error.message, path: error.path, offset: error.offset,
                    cause: error.cause))
        }
    }

    private mutating func copyUnlessDamaged(_ entry: ArchiveEntry) throws(ArchiveError) {
        try unlessDamaged(try? entry.key) { (copier) throws(ArchiveError) in
            try copier.copy(entry)
            copier.count += 1
        }
    }

    private mutating func copy(_ entry: ArchiveEntry) throws(ArchiveError) {
        bodies.progress.addEntry()
        guard !aliasResponses.isEmpty, let response = try Self.response(of: entry), aliasResponses.contains(response),
            try entry.isPlainRequest
        else {
            note(entry, try add(entry))
            return
        }
        if let original = originals[response], try entry.url == entry.key {
            note(entry, try builder.addAlias(entry.canonicalURL, of: original, role: entry.role))
        } else {
            let reference = try add(entry)
            note(entry, reference)
            if originals[response] == nil { originals[response] = reference }
        }
    }

    private mutating func note(_ entry: ArchiveEntry, _ reference: CommitBuilder.EntryReference) {
        if reader.recordCount > 0 { copied[reader.index.number(.entry, entry.place)] = reference }
    }

    private func add(_ entry: ArchiveEntry) throws(ArchiveError) -> CommitBuilder.EntryReference {
        // The builder would take a stored text that is not a URL for a wrong argument, and a different URL for a different key.
        let (key, request) = (try entry.canonicalURL, try entry.request)
        try entry.archive.index.budget?.take(8 * request.url.utf8.count)
        guard (try? CanonicalURL(request.url)) == key else {
            throw .damaged("the stored URL of \(key) does not have that key")
        }
        _ = try entry.redirectURL
        var originals = OriginalBodies()
        originals.request.head = try entry.requestHead.mapTyped(bodies.reference)
        originals.request.wire = try entry.requestWire.mapTyped(bodies.reference)
        originals.response.head = try entry.responseHead.mapTyped(bodies.reference)
        originals.response.wire = try entry.responseWire.mapTyped(bodies.reference)
        return try builder.addCopy(
            request, of: key, requestBody: entry.requestBody.mapTyped(bodies.reference), response: entry.response,
            body: entry.body.mapTyped(bodies.reference), time: entry.time, role: entry.role, originals: originals,
            failure: entry.failure)
    }

    // MARK: - Records and pages

    /// Copies records in their order. One whose exchange was left out goes with it.
    private mutating func copyRecords() throws(ArchiveError) {
        let reader = reader.limitedToOnePass()
        for number in 0..<reader.recordCount where selection?.contains(record: number) ?? true {
            try unlessDamaged("record \(number)") { (copier) throws(ArchiveError) in
                let stored = reader.record(number)
                var exchange: CommitBuilder.EntryReference?
                if let entry = try stored.exchange {
                    exchange = copier.copied[reader.index.number(.entry, entry.place)]
                    guard exchange != nil else { return }
                    // The builder would take it for a wrong argument.
                    guard try stored.block == nil else { throw .damaged("both an exchange and a block") }
                }
                try copier.builder.add(
                    stored.record, head: stored.head.mapTyped(copier.bodies.reference),
                    block: stored.block.mapTyped(copier.bodies.reference), exchange: exchange)
                copier.recordCount += 1
            }
        }
    }

    private mutating func copyPages() throws(ArchiveError) {
        let reader = reader.limitedToOnePass()
        for number in 0..<reader.pageCount where selection?.contains(page: number) ?? true {
            try unlessDamaged("page \(number)") { (copier) throws(ArchiveError) in
                let stored = reader.page(number)
                let page = try stored.page
                try reader.index.budget?.take(8 * page.url.utf8.count)
                guard (try? CanonicalURL(page.url)) != nil else { throw .damaged("the URL is not absolute") }
                try copier.builder.add(
                    page, text: stored.text.mapTyped(copier.bodies.reference),
                    screenshot: stored.screenshot.mapTyped(copier.bodies.reference))
            }
        }
    }
}

extension ArchiveEntry {
    /// Whether the request is a `GET` without header fields and body: that of an alias, which the builder takes from its original.
    fileprivate var isPlainRequest: Bool {
        get throws(ArchiveError) {
            guard try isFor(method: "GET", bodyDigest: nil) else { return false }
            return try request.headers.isEmpty
        }
    }
}
