// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A check of the keys of all entries against section 8: their text, their order, and their lookup.
struct KeyChecks {
    let archive: ArchiveReader

    /// Checks all keys, and returns for each commit the entries that are the first with their key.
    func run(_ parallel: ParallelWork, into log: inout FindingLog) -> [AtomicBits] {
        archive.index.commits.enumerated().map { number, commit in
            let firstOfKey = AtomicBits(count: commit.entryCount)
            let expected = (commit.entryCount + FormatLimits.keysPerBlock - 1) / FormatLimits.keysPerBlock
            if commit.rowCount(.keyBlock) != expected {
                let message = "the commit has \(commit.rowCount(.keyBlock)) key blocks, expected \(expected)"
                log.add(.damaged(message, offset: commit.footer.offset))
            }
            parallel.forEachPart(of: commit.entryCount, in: archive.index, into: &log) { [archive] rows in
                var check = KeyCheck(archive, commit: number, firstOfKey: firstOfKey)
                check.check(rows)
                return check.log
            }
            HashTableChecks(archive: archive, number: number, firstOfKey: firstOfKey).run(parallel, into: &log)
            return firstOfKey
        }
    }
}

/// The checks of the keys of some consecutive entries, which start with a key block.
private struct KeyCheck {
    let archive: ArchiveReader
    let number: Int
    let commit: CommitIndex
    /// The entries that are the first with their key, which the check fills.
    let firstOfKey: AtomicBits
    var log = FindingLog(limit: FindingLog.partLimit)
    /// The key of the previous entry; nil if it cannot be read.
    private var previous: [UInt8]?
    private var key: [UInt8] = []
    /// Whether the key of the previous entry is a canonical URL; nil if this is unknown.
    private var isCanonical: Bool?
    /// The digests of the canonical forms of URLs that were read, which many entries may share; nil for texts without one.
    private var readURLs: [RowPlace: ContentDigest?] = [:]
    /// The digest of ``key``, once a URL was compared with it.
    private var keyDigest: ContentDigest?
    /// The orders of methods that were compared: they may be long, and alternate.
    private var methodOrders: [[RowPlace?]: Int] = [:]

    init(_ archive: ArchiveReader, commit number: Int, firstOfKey: AtomicBits) {
        self.archive = archive
        self.number = number
        commit = archive.index.commits[number]
        self.firstOfKey = firstOfKey
    }

    /// Checks the keys of entries, block by block.
    mutating func check(_ rows: Range<Int>) {
        if rows.lowerBound > 0 { previous = try? commit.key(rows.lowerBound - 1) }
        for start in stride(from: rows.lowerBound, to: rows.upperBound, by: FormatLimits.keysPerBlock) {
            let block = start..<min(start + FormatLimits.keysPerBlock, rows.upperBound)
            var row = start
            do throws(ArchiveError) {
                try checkBlock(block, &row)
            } catch {
                // The keys from here on are lost, those before were right.
                for row in row..<block.upperBound { log.add(error, concerning: entry(row)) }
                (previous, isCanonical) = (nil, nil)
            }
        }
    }

    private func entry(_ row: Int) -> RowNumber { RowNumber(owner: .entry, row: commit.firstRow(.entry) + row) }

    private mutating func checkBlock(_ rows: Range<Int>, _ row: inout Int) throws(ArchiveError) {
        let number = rows.lowerBound / FormatLimits.keysPerBlock
        let text = try commit.keyBlock(number)
        var cursor = KeyBlock.Cursor(text)
        var position = text.baseAddress
        key.removeAll(keepingCapacity: true)
        while row < rows.upperBound {
            do throws(ArchiveError) {
                let (shared, rest) = try cursor.next()
                key.removeSubrange(shared...)
                key.append(contentsOf: rest)
                position = rest.baseAddress.map { $0 + rest.count }
            } catch {
                throw commit.damaged(error.message, .keyBlockKeys, number)
            }
            do throws(ArchiveError) { try checkKey(row) } catch { log.add(error, concerning: entry(row)) }
            previous = key
            row += 1
        }
        if let base = text.baseAddress, position != base + text.count {
            log.add(commit.damaged("trailing bytes after the last key", .keyBlockKeys, number))
        }
    }

    private mutating func checkKey(_ row: Int) throws(ArchiveError) {
        let order = previous.map { previous in
            key.withUnsafeBytes { key in previous.withUnsafeBytes { $0.compareBytes(key) } }
        }
        if order != 0 { keyDigest = nil }
        if row == 0 || order != 0 { firstOfKey.insert(row) }
        let isCanonical = (order == 0 ? isCanonical : nil) ?? CanonicalURL.isCanonical(utf8: key)
        self.isCanonical = isCanonical
        guard isCanonical else {
            throw commit.damaged("the key is not a canonical URL", .keyBlockKeys, row / FormatLimits.keysPerBlock)
        }
        try checkURL(row)
        guard let order, row > 0 else { return }
        if order > 0 {
            throw commit.damaged(
                "the keys of entries \(row - 1) and \(row) are not in order", .keyBlockKeys,
                row / FormatLimits.keysPerBlock)
        }
        if order == 0 { try checkCaptures(row) }
    }

    /// Checks that the original URL leads to the key.
    private mutating func checkURL(_ row: Int) throws(ArchiveError) {
        let index = archive.index
        guard let text = try index.row(.entryURL, RowPlace(commit: UInt32(number), row: UInt32(row))) else { return }
        let canonical: ContentDigest?
        if let known = readURLs[text] {
            canonical = known
        } else {
            canonical = (try? CanonicalURL(utf8: try index.string(text))).map { ContentDigest(hashing: $0.bytes) }
            readURLs[text] = .some(canonical)
        }
        let digest = keyDigest ?? ContentDigest(hashing: key)
        keyDigest = digest
        guard canonical == digest else {
            throw commit.damaged("the original URL does not canonicalise to its key", .entryURL, row)
        }
    }

    /// Checks that entries of one key are sorted by method, digest of the request's body, and time, the newest first.
    private mutating func checkCaptures(_ row: Int) throws(ArchiveError) {
        let (before, here) = (try identity(row - 1), try identity(row))
        let order = try compareMethods(before.method, here.method)
        let isSame = order == 0 && before.digest == here.digest
        let isSorted =
            if order != 0 {
                order < 0
            } else if isSame {
                try commit.integer(.entryTime, row - 1) >= commit.integer(.entryTime, row)
            } else {
                before.digest.map { left in here.digest.map { left < $0 } ?? false } ?? true
            }
        guard isSorted else {
            throw commit.damaged("the entries of a URL are not in order", .entryTime, row)
        }
    }

    private mutating func compareMethods(_ left: RowPlace?, _ right: RowPlace?) throws(ArchiveError) -> Int {
        if left == right { return 0 }
        if let known = methodOrders[[left, right]] { return known }
        let index = archive.index
        let (first, second) = (
            try left.mapTyped(index.string) ?? Self.get, try right.mapTyped(index.string) ?? Self.get
        )
        let order = first.compareBytes(second)
        methodOrders[[left, right]] = order
        return order
    }

    /// Returns the string of the method, nil for `GET`, and the digest of the request's body.
    private func identity(_ row: Int) throws(ArchiveError) -> (method: RowPlace?, digest: ContentDigest?) {
        let index = archive.index
        guard let request = try index.row(.entryRequest, RowPlace(commit: UInt32(number), row: UInt32(row))) else {
            return (nil, nil)
        }
        let digest = try index.row(.requestBody, request).mapTyped { (body) throws(ArchiveError) in
            try index.commit(body).digest(Int(body.row))
        }
        return (try index.row(.requestMethod, request), digest)
    }

    private static let getText: StaticString = "GET"

    private static var get: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: getText.utf8Start, count: getText.utf8CodeUnitCount)
    }
}
