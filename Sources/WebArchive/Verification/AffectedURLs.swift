// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A search for the entries that findings affect: from blocks to bodies, to requests and responses, to entries.
///
/// It reads the rows only if there are findings, and in the opposite direction of references.
struct AffectedURLs {
    /// The URLs that one finding affects.
    struct List {
        /// The listed URLs, in the order of the archive.
        var urls: [String] = []
        /// The total number of URLs.
        var count = 0
        fileprivate var last: String?
    }

    let index: ArchiveIndex

    /// The numbers of sets in ``sets``, by rows.
    private typealias Concerns = [Int: UInt32]
    private var sets = FindingSets()
    /// The number of rows that may still be followed, of all classes together.
    private var rowsLeft = 1 << 21
    /// The number of sets that may still be added to rows: each body may have part of 16 damaged blocks.
    private var additionsLeft = 1 << 22

    init(_ index: ArchiveIndex) { self.index = index }

    /// Lists for each finding of a log the URLs that it affects.
    mutating func lists(_ log: FindingLog) -> [List] {
        var lists = log.findings.map { _ in List() }
        guard !log.concerns.isEmpty else { return lists }
        var concerns: [IndexClass: Concerns] = [:]
        for concern in log.concerns {
            add(sets.set(of: concern.finding), to: concern.row.row, &concerns[concern.row.owner, default: [:]])
        }
        addBodies(of: concerns[.block] ?? [:], to: &concerns[.body, default: [:]])
        let bodies = concerns[.body] ?? [:]
        for (owner, key) in [
            (IndexClass.request, IndexKey.requestBody), (.response, .responseBody), (.redirect, .redirectBody),
        ] {
            follow(key, to: bodies, &concerns[owner, default: [:]])
        }
        let all = concerns
        follow(.entryRequest, to: all[.request] ?? [:], &concerns[.entry, default: [:]])
        addEntries(responses: all[.response] ?? [:], redirects: all[.redirect] ?? [:], &concerns[.entry, default: [:]])
        let entries = concerns[.entry] ?? [:]
        var room = VerificationFinding.maximumListedLength
        for row in entries.keys.sorted() {
            guard let place = index.place(.entry, row: row) else { continue }
            let key = (try? index.commit(place).key(Int(place.row))).map { String(untrusted: $0) }
            for finding in entries[row].map(sets.findings) ?? [] { lists[finding].add(key, &room) }
        }
        return lists
    }

    private mutating func add(_ set: UInt32, to row: Int, _ concerns: inout Concerns) {
        guard additionsLeft > 0 else { return }
        additionsLeft -= 1
        if let known = concerns[row] {
            concerns[row] = sets.union(known, set)
        } else if rowsLeft > 0 {
            rowsLeft -= 1
            concerns[row] = set
        }
    }

    private mutating func addBodies(of blocks: Concerns, to bodies: inout Concerns) {
        guard !blocks.isEmpty else { return }
        let damaged = blocks.keys.sorted()
        let size = index.header.blockLength
        for commit in index.commits {
            for row in 0..<commit.rowCount(.body) {
                if row % 65_536 == 0 { index.trimPages() }
                guard additionsLeft > 0 else { return }
                guard let first = try? Int(commit.integer(.bodyBlock, row)) &- 1, first >= 0, first < Int(UInt32.max),
                    let offset = try? commit.count(.bodyOffset, row, atMost: size),
                    let length = try? commit.count(.bodyLength, row, atMost: Int(FormatLimits.maximumFileLength))
                else { continue }
                // A body in one block reaches no further than a block does.
                let end = first + (offset + length + size - 1) / size
                let start = damaged.indices.partitioningIndex { damaged[$0] >= first }
                for block in damaged[start...].prefix(FindingSets.longest) where block < end {
                    if let set = blocks[block] { add(set, to: commit.firstRow(.body) + row, &bodies) }
                }
            }
        }
    }

    /// Adds the rows that refer to one of `targets` by a key of one target class.
    private mutating func follow(_ key: IndexKey, to targets: Concerns, _ concerns: inout Concerns) {
        guard !targets.isEmpty else { return }
        for commit in index.commits {
            for row in 0..<commit.rowCount(key.owner) {
                if row % 65_536 == 0 { index.trimPages() }
                guard let target = try? commit.integer(key, row), let set = targets[Int(target) &- 1] else { continue }
                add(set, to: commit.firstRow(key.owner) + row, &concerns)
            }
        }
    }

    private mutating func addEntries(responses: Concerns, redirects: Concerns, _ entries: inout Concerns) {
        guard !responses.isEmpty || !redirects.isEmpty else { return }
        for commit in index.commits {
            for row in 0..<commit.entryCount {
                if row % 65_536 == 0 { index.trimPages() }
                guard let value = try? commit.integer(.entryAnswer, row), value > 0 else { continue }
                let answer = Int(value - 1)
                let set = answer % 2 == 0 ? responses[answer / 2] : redirects[answer / 2]
                if let set { add(set, to: commit.firstRow(.entry) + row, &entries) }
            }
        }
    }
}

extension AffectedURLs.List {
    /// Adds an entry; one without a readable key is only counted. Captures of one URL are adjacent.
    ///
    /// - Parameter room: the remaining room for the URLs of all lists, in bytes.
    fileprivate mutating func add(_ url: String?, _ room: inout Int) {
        if url != nil, url == last { return }
        last = url
        count += 1
        guard let url, url.utf8.count <= room else { return }
        room -= url.utf8.count
        urls.append(url)
    }
}
