// SPDX-License-Identifier: Apache-2.0

/// A survey of an archive's bytes: their use, and the savings of the format.
package struct ArchiveStatistics: Sendable {
    /// The entries with a common property. Aliases are not counted: they share the response of another entry.
    package struct Group: Sendable {
        /// The number of entries.
        package var entries = 0
        /// The bytes of the bodies, counted at each use.
        package var bytes: UInt64 = 0
        /// The bytes that the bodies take in the archive; a body that several groups use counts in the first one.
        package var stored: UInt64 = 0
    }

    /// The additions of one commit.
    package struct Commit: Sendable {
        /// The number of the commit, from 0.
        package let number: UInt32
        /// The length of the commit, in bytes, with all its parts.
        package let length: UInt64
        /// The number of entries that it added.
        package let entries: Int
        /// The number of bodies that it added.
        package let bodies: Int
    }

    /// All entries but aliases.
    package var all = Group()
    /// The number of aliases.
    package var aliases = 0
    /// The entries by media type; by `(redirect)`, `(unknown)` or `(no response)` without one.
    package var mediaTypes: [String: Group] = [:]
    /// The entries by scheme, host and first folders.
    package var directories: [String: Group] = [:]
    /// The commits, the oldest first.
    package var commits: [Commit] = []

    // Where the file's bytes are.
    /// The length of the file, in bytes.
    package var fileLength: UInt64
    /// The bytes that blocks take, without those of dictionaries.
    package var bodiesStored: UInt64 = 0
    /// The bytes that the blocks of dictionaries take.
    package var dictionariesStored: UInt64 = 0
    /// The bytes of rows and texts of all commits.
    package var indexLength: UInt64 = 0
    /// The bytes after the last whole commit.
    package var tornTail: UInt64
    /// The bytes of all other parts: header, sums, tables and footers.
    package var otherLength: UInt64 {
        [bodiesStored, dictionariesStored, indexLength, tornTail].reduce(fileLength) { $0.subtractingSaturated($1) }
    }

    /// The bytes of all bodies, each once.
    package var distinctBytes: UInt64 = 0
    /// The number of dictionaries.
    package var dictionaries = 0
    /// The approximate savings by dictionaries, less their own length.
    package var dictionarySavings: UInt64 = 0

    /// The bytes saved by storing bodies once that are used several times.
    package var savedByDeduplication: UInt64 { all.bytes.subtractingSaturated(distinctBytes) }
    /// The bytes that compression saves of stored bodies.
    package var savedByCompression: UInt64 { distinctBytes.subtractingSaturated(bodiesStored) }

    /// Reads all entries, and the rows of all bodies and blocks.
    ///
    /// - Parameters:
    ///   - depth: the number of distinguished levels of folders, 0 for only hosts.
    ///   - progress: a function that is called every 4,096 entries.
    /// - Throws: `damaged` or `io`; `limitExceeded` beyond the decoding limit of one pass over the entries.
    package init(
        _ reader: ArchiveReader, depth: Int, progress: (WorkProgress) -> Void
    ) throws(ArchiveError) {
        let stored = StoredArchive(reader)
        (fileLength, tornTail) = (reader.fileLength, reader.tornTail)
        var bodies = try BodySizes(stored)
        for commit in stored.commits { add(commit) }
        dictionaries = bodies.dictionaryCount
        dictionariesStored = bodies.dictionariesStored
        // Several dictionaries may be parts of one block, and exceed the bytes of the blocks in total.
        bodiesStored = stored.commits.reduce(0) { $0 + $1.blocksLength }.subtractingSaturated(dictionariesStored)
        distinctBytes = bodies.distinctBytes
        let gross = try DictionarySavings(stored).bytes
        dictionarySavings = gross.subtractingSaturated(dictionariesStored)

        var state = WorkProgress()
        state.totalItems = reader.entryCount
        try reader.limitedToOnePass().forEachEntry { entry throws(ArchiveError) in
            try add(entry, depth: depth, sizes: &bodies)
            state.items += 1
            if state.items % 4096 == 0 { progress(state) }
            return true
        }
    }

    private mutating func add(_ commit: StoredArchive.Commit) {
        indexLength += commit.indexLength
        commits.append(
            Commit(
                number: commit.number, length: commit.length, entries: commit.entryCount, bodies: commit.bodyCount))
    }

    private mutating func add(
        _ entry: ArchiveEntry, depth: Int, sizes: inout BodySizes
    ) throws(ArchiveError) {
        guard try entry.role != .alias else {
            aliases += 1
            return
        }
        var group = Group(entries: 1)
        for body in [try entry.body, try entry.requestBody].compactMap(\.self) {
            group.bytes = group.bytes.addingSaturated(body.length)
            group.stored = group.stored.addingSaturated(try sizes.takeStored(body))
        }
        let outline = try entry.outline
        let type = outline.map { $0.mediaType ?? ($0.isRedirect ? "(redirect)" : "(unknown)") } ?? "(no response)"
        all.add(group)
        mediaTypes[type, default: Group()].add(group)
        directories[Self.directory(of: try entry.key, depth: depth), default: Group()].add(group)
    }

    /// Returns the URL's scheme and host with the first folders of its path; `(no URL)` for a key that is not a URL.
    package static func directory(of key: String, depth: Int) -> String {
        guard let url = try? CanonicalURL(key) else { return "(no URL)" }
        let folders = url.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
            .dropLast().prefix(depth)
        let path = folders.reduce(into: "/") { path, folder in path += String(decoding: folder, as: UTF8.self) + "/" }
        return String(decoding: url.root, as: UTF8.self) + (url.authority == nil ? "" : path)
    }
}

extension ArchiveStatistics.Group {
    /// Adds the numbers of another group.
    package mutating func add(_ other: Self) {
        entries += other.entries
        bytes = bytes.addingSaturated(other.bytes)
        stored = stored.addingSaturated(other.stored)
    }
}
