// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// What an archive's bytes are spent on, and what the format saved.
struct ArchiveStatistics {
    /// Entries with something in common. Aliases are not counted: they share the answer of another entry.
    struct Group {
        var entries = 0
        /// Bytes of the bodies, as often as they are used.
        var bytes: UInt64 = 0
        /// Bytes that the bodies take in the archive; a body that several groups use counts in the first one.
        var stored: UInt64 = 0
    }

    struct Commit {
        let number: UInt32
        /// In bytes, with all that belongs to it.
        let length: UInt64
        let entries: Int
        let bodies: Int
    }

    var all = Group()
    var aliases = 0
    var mediaTypes: [String: Group] = [:]
    var directories: [String: Group] = [:]
    var commits: [Commit] = []

    // Where the file's bytes are.
    var fileLength: UInt64
    var bodiesStored: UInt64 = 0
    var dictionariesStored: UInt64 = 0
    var indexLength: UInt64 = 0
    var tornTail: UInt64
    var otherLength: UInt64 { fileLength - bodiesStored - dictionariesStored - indexLength - tornTail }

    /// Bytes of all bodies, each once.
    var distinctBytes: UInt64 = 0
    var dictionaries = 0
    /// About what dictionaries save, their own length taken off.
    var dictionarySavings: UInt64 = 0

    var savedByDeduplication: UInt64 { all.bytes > distinctBytes ? all.bytes - distinctBytes : 0 }
    var savedByCompression: UInt64 { distinctBytes > bodiesStored ? distinctBytes - bodiesStored : 0 }

    /// Goes over all entries. `depth`: how many levels of folders are told apart.
    init(
        _ reader: ArchiveReader, depth: Int, progress: (WorkProgress) -> Void
    ) throws(ArchiveError) {
        let stored = StoredArchive(reader)
        (fileLength, tornTail) = (reader.fileLength, reader.tornTail)
        var bodies = try BodySizes(stored)
        for commit in stored.commits { add(commit) }
        dictionaries = bodies.dictionaryCount
        dictionariesStored = bodies.dictionariesStored
        bodiesStored = stored.commits.reduce(0) { $0 + $1.blocksLength } - dictionariesStored
        distinctBytes = bodies.distinctBytes
        let gross = try DictionarySavings(stored).bytes
        dictionarySavings = gross > dictionariesStored ? gross - dictionariesStored : 0

        var state = WorkProgress()
        state.totalItems = reader.entryCount
        try reader.forEachEntry { entry throws(ArchiveError) in
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
            group.bytes += body.length
            group.stored += sizes.takeStored(body)
        }
        let answer = try entry.answer
        let type = answer.map { $0.mediaType ?? ($0.isRedirect ? "(redirect)" : "(unknown)") } ?? "(no answer)"
        all.add(group)
        mediaTypes[type, default: Group()].add(group)
        directories[Self.directory(of: try entry.key, depth: depth), default: Group()].add(group)
    }

    /// The URL's scheme and host with the first folders of its path.
    static func directory(of key: String, depth: Int) -> String {
        guard let url = try? CanonicalURL(key) else { return key }
        let folders = url.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
            .dropLast().prefix(depth)
        let path = folders.reduce(into: "/") { path, folder in path += String(decoding: folder, as: UTF8.self) + "/" }
        return String(decoding: url.root, as: UTF8.self) + (url.authority == nil ? "" : path)
    }
}

extension ArchiveStatistics.Group {
    mutating func add(_ other: Self) {
        entries += other.entries
        bytes += other.bytes
        stored += other.stored
    }
}
