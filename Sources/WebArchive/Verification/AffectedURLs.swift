// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A search that finds the entries that suffer from findings: from blocks to bodies, to requests and answers, to entries.
///
/// Walks over the rows only if there is something to look for, and in the other direction than references go.
struct AffectedURLs {
    struct List {
        var urls: [String] = []
        var count = 0
        fileprivate var last: String?
    }

    let index: ArchiveIndex

    private typealias Concerns = [Int: [Int]]
    /// Most findings that one row is counted for.
    private static let limit = 16
    /// Most rows of a class that are followed.
    private static let rowLimit = 1 << 20

    /// For each finding of a log the URLs that it affects.
    func lists(_ log: FindingLog) -> [List] {
        var lists = log.findings.map { _ in List() }
        guard !log.concerns.isEmpty else { return lists }
        var concerns: [IndexClass: Concerns] = [:]
        for concern in log.concerns {
            Self.add([concern.finding], to: concern.row.row, &concerns[concern.row.owner, default: [:]])
        }
        addBodies(of: concerns[.block] ?? [:], to: &concerns[.body, default: [:]])
        let bodies = concerns[.body] ?? [:]
        for (owner, key) in [
            (IndexClass.request, IndexKey.requestBody), (.response, .responseBody), (.redirect, .redirectBody),
        ] {
            follow(key, to: bodies) { row, findings in Self.add(findings, to: row, &concerns[owner, default: [:]]) }
        }
        let all = concerns
        follow(.entryRequest, to: all[.request] ?? [:]) { Self.add($1, to: $0, &concerns[.entry, default: [:]]) }
        addEntries(responses: all[.response] ?? [:], redirects: all[.redirect] ?? [:], &concerns[.entry, default: [:]])
        let entries = concerns[.entry] ?? [:]
        var room = VerificationFinding.maximumListedLength
        for row in entries.keys.sorted() {
            guard let place = index.place(.entry, row: row) else { continue }
            let key = (try? index.commit(place).key(Int(place.row))).map { String(untrusted: $0) }
            for finding in entries[row] ?? [] { lists[finding].add(key, &room) }
        }
        return lists
    }

    private static func add(_ findings: [Int], to row: Int, _ concerns: inout Concerns) {
        for finding in findings {
            guard let known = concerns[row] else {
                if concerns.count < rowLimit { concerns[row] = [finding] }
                continue
            }
            if known.count < limit, !known.contains(finding) { concerns[row, default: []].append(finding) }
        }
    }

    private func addBodies(of blocks: Concerns, to bodies: inout Concerns) {
        guard !blocks.isEmpty else { return }
        let damaged = blocks.keys.sorted()
        let size = index.header.blockLength
        for commit in index.commits {
            for row in 0..<commit.rowCount(.body) {
                if row % 65_536 == 0 { index.trimPages() }
                guard let first = try? Int(commit.integer(.bodyBlock, row)) &- 1, first >= 0, first < Int(UInt32.max),
                    let offset = try? commit.count(.bodyOffset, row, atMost: size),
                    let length = try? commit.count(.bodyLength, row, atMost: Int(FormatLimits.maximumFileLength))
                else { continue }
                // A body in one block reaches no further than a block does.
                let end = first + (offset + length + size - 1) / size
                var (low, high) = (0, damaged.count)
                while low < high {
                    let middle = (low + high) / 2
                    if damaged[middle] < first { low = middle + 1 } else { high = middle }
                }
                for block in damaged[low...].prefix(Self.limit) where block < end {
                    Self.add(blocks[block] ?? [], to: commit.firstRow(.body) + row, &bodies)
                }
            }
        }
    }

    /// Calls `work` with the rows that refer to one of `targets` by a key of one target class.
    private func follow(_ key: IndexKey, to targets: Concerns, _ work: (Int, [Int]) -> Void) {
        guard !targets.isEmpty else { return }
        for commit in index.commits {
            for row in 0..<commit.rowCount(key.owner) {
                if row % 65_536 == 0 { index.trimPages() }
                guard let target = try? commit.integer(key, row), let findings = targets[Int(target) &- 1] else {
                    continue
                }
                work(commit.firstRow(key.owner) + row, findings)
            }
        }
    }

    private func addEntries(responses: Concerns, redirects: Concerns, _ entries: inout Concerns) {
        guard !responses.isEmpty || !redirects.isEmpty else { return }
        for commit in index.commits {
            for row in 0..<commit.entryCount {
                if row % 65_536 == 0 { index.trimPages() }
                guard let value = try? commit.integer(.entryAnswer, row), value > 0 else { continue }
                let answer = Int(value - 1)
                let findings = answer % 2 == 0 ? responses[answer / 2] : redirects[answer / 2]
                if let findings { Self.add(findings, to: commit.firstRow(.entry) + row, &entries) }
            }
        }
    }
}

extension AffectedURLs.List {
    /// Adds an entry; those of which the key cannot be read are counted only. Captures of one URL stand together.
    ///
    /// - Parameter room: for the URLs of all lists, in bytes.
    fileprivate mutating func add(_ url: String?, _ room: inout Int) {
        if url != nil, url == last { return }
        last = url
        count += 1
        guard let url, url.utf8.count <= room else { return }
        room -= url.utf8.count
        urls.append(url)
    }
}
