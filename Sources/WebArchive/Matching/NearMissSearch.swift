// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A search for entries near a request without a response.
struct NearMissSearch {
    let archive: ArchiveReader
    let request: MatchRequest

    /// The maximum number of near misses of one kind.
    static let limit = 5

    /// The number of commits, newest first, in which similar URLs are searched.
    private static let commitLimit = 16

    /// Searches for near misses, the likeliest kind first.
    ///
    /// - Parameter steps: the steps of the search that found nothing.
    /// - Throws: `damaged` or `io`; `limitExceeded` beyond the archive's budget.
    func run(_ steps: [MatchExplanation.Step]) throws(ArchiveError) -> [NearMiss] {
        var found = try sameURL()
        for step in steps {
            if case .varies(let difference) = step.outcome {
                add(.otherVariant(url: step.url, difference), to: &found)
            }
        }
        let queries = try otherQueries()
        let similar = try similar(except: queries)
        let spelled = try otherSpellings()
        found += spelled.filter { !queries.contains($0) }.map { .similar(url: $0) }
        found += queries.map { .otherQuery(url: $0) }
        found += similar.filter { !spelled.contains($0) }.map { .similar(url: $0) }
        return found
    }

    private func add(_ miss: NearMiss, to found: inout [NearMiss]) {
        if found.count < 4 * Self.limit, !found.contains(miss) { found.append(miss) }
    }

    /// Returns the captures of the same URL for other methods and other bodies.
    private func sameURL() throws(ArchiveError) -> [NearMiss] {
        let url = request.url.description
        var found: [NearMiss] = []
        for entry in try CaptureList(of: request.url, in: archive).entries {
            let method = try entry.method
            let role = try entry.role
            if !role.isServed {
                add(role == .withoutBody ? .withoutBody(url: url) : .unpackOnly(url: url), to: &found)
            } else if !method.hasSameBytes(as: request.method) {
                add(.otherMethod(url: url, method: method), to: &found)
            } else {
                let digest = try entry.requestBody?.digest
                if digest != request.bodyDigest { add(.otherBody(url: url, digest: digest), to: &found) }
            }
        }
        return found
    }

    /// Returns other URLs with the same path.
    private func otherQueries() throws(ArchiveError) -> [String] {
        let url = request.url
        let base = Array(url.bytes[..<url.path.endIndex])
        var found: [String] = []
        if url.query != nil, let bare = try? CanonicalURL(utf8: base),
            !(try CaptureList(of: bare, in: archive).entries.isEmpty)
        {
            found.append(bare.description)
        }
        var looked = 0
        try archive.forEachEntry(prefix: String(decoding: base, as: UTF8.self) + "?") { entry throws(ArchiveError) in
            looked += 1
            let key = try entry.key
            if key != url.description, found.last != key { found.append(key) }
            return found.count < Self.limit && looked < CaptureList.limit
        }
        return found
    }

    /// Returns the keys that share most of their beginning with the URL, and at least a part of the host.
    private func similar(except known: [String]) throws(ArchiveError) -> [String] {
        let url = request.url
        let least = url.authority.map { $0.startIndex + 1 } ?? url.root.count + 1
        var found: [(shared: Int, key: [UInt8])] = []
        for (number, commit) in archive.index.commits.enumerated().suffix(Self.commitLimit) {
            let row = try url.bytes.withBytes { (key) throws(ArchiveError) in try commit.lowerBound(key) }
            for near in max(0, row - Self.limit)..<min(commit.entryCount, row + Self.limit) {
                let key = try archive.index.key(RowPlace(commit: UInt32(number), row: UInt32(near)))
                let shared = try url.bytes.withBytes { (own) throws(ArchiveError) in
                    key.withUnsafeBytes { $0.commonPrefix(with: own) }
                }
                guard shared >= least, key != url.bytes, !found.contains(where: { $0.key == key }) else { continue }
                found.append((shared, key))
            }
            found.sort { $0.shared > $1.shared || $0.shared == $1.shared && $0.key.lexicographicallyPrecedes($1.key) }
            found.removeLast(max(0, found.count - Self.limit - known.count))
        }
        let keys = found.map { String(untrusted: $0.key) }.filter { !known.contains($0) }
        return Array(keys.prefix(Self.limit))
    }
}
