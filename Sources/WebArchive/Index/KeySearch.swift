// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The search for entries of one commit by key. Specification sections 8.2 to 8.5.
extension CommitIndex {
    /// The number of entries of this commit.
    var entryCount: Int { rowCount(.entry) }

    /// Reads the key of an entry, ASCII bytes. It costs the items of its key block up to it.
    func key(_ row: Int) throws(ArchiveError) -> [UInt8] {
        let (block, item) = try keyItem(row)
        return try inKeyBlock(row) { () throws(ArchiveError) in try KeyBlock.key(item, of: block) }
    }

    /// Compares the key of an entry with `key`: negative if it is before. It builds no key.
    func compareKey(_ row: Int, with key: UnsafeRawBufferPointer) throws(ArchiveError) -> Int {
        let (block, item) = try keyItem(row)
        return try inKeyBlock(row) { () throws(ArchiveError) in try KeyBlock.compare(item, of: block, with: key) }
    }

    @inline(__always)
    private func keyItem(_ row: Int) throws(ArchiveError) -> (block: UnsafeRawBufferPointer, item: Int) {
        (try keyBlock(row / FormatLimits.keysPerBlock), row % FormatLimits.keysPerBlock)
    }

    /// Finds the bytes of a key block.
    @inline(__always)
    func keyBlock(_ row: Int) throws(ArchiveError) -> UnsafeRawBufferPointer {
        let limit = FormatLimits.keysPerBlock * (FormatLimits.maximumKeyLength + 6)
        return try text(.keyBlockKeys, row, atMost: limit)
    }

    /// Adds the file offset to errors of the key block of an entry.
    @inline(__always)
    private func inKeyBlock<Value>(
        _ row: Int, _ work: () throws(ArchiveError) -> Value
    ) throws(ArchiveError) -> Value {
        do throws(ArchiveError) {
            return try work()
        } catch {
            throw damaged(error.message, .keyBlockKeys, row / FormatLimits.keysPerBlock)
        }
    }

    /// Finds the first entry with this key, or nil: by the hash table, or without one by the sorted keys
    /// (section 8.5).
    ///
    /// - Parameter budget: the budget that pays for each compared key.
    func firstEntry(_ key: UnsafeRawBufferPointer, _ budget: DecodingBudget? = nil) throws(ArchiveError) -> Int? {
        let bucketCount = rowCount(.bucket)
        guard bucketCount > 0, bucketCount & (bucketCount - 1) == 0 else { return try searchEntry(key, budget) }
        let hash = Int(Checksum.of(key))
        let bucket = hash & (bucketCount - 1)
        let slotCount = rowCount(.slot)
        let first = try count(.bucketFirst, bucket, atMost: slotCount)
        let end = bucket + 1 < bucketCount ? try count(.bucketFirst, bucket + 1, atMost: slotCount) : slotCount
        guard first <= end else { throw damaged("the buckets overlap", .bucketFirst, bucket) }
        // Keys of one hash are easy to make; a bucket full of them must not slow down every lookup.
        guard end - first <= FormatLimits.maximumBucketScan else { return try searchEntry(key, budget) }
        for slot in first..<end {
            guard try integer(.slotTag, slot) == Int64(hash >> 24) else { continue }
            let row = try count(.slotEntry, slot, atMost: entryCount - 1)
            try budget?.take(0)
            if try compareKey(row, with: key) == 0 { return row }
        }
        return nil
    }

    private func searchEntry(
        _ key: UnsafeRawBufferPointer, _ budget: DecodingBudget?
    ) throws(ArchiveError) -> Int? {
        let row = try lowerBound(key, budget)
        guard row < entryCount else { return nil }
        return try compareKey(row, with: key) == 0 ? row : nil
    }

    /// Finds the first entry whose key is not before `key`; the number of entries if there is none. O(log n).
    func lowerBound(_ key: UnsafeRawBufferPointer, _ budget: DecodingBudget? = nil) throws(ArchiveError) -> Int {
        try (0..<entryCount).partitioningIndex { (row) throws(ArchiveError) in
            try budget?.take(0)
            return try compareKey(row, with: key) >= 0
        }
    }

    /// Finds the rows of `Body` of this commit with a digest, by which they are sorted; in a damaged archive others may be
    /// among them. O(log n).
    func bodies(_ digest: ContentDigest) throws(ArchiveError) -> Range<Int> {
        let count = rowCount(.body)
        let first = try (0..<count).partitioningIndex { (row) throws(ArchiveError) in try self.digest(row) >= digest }
        let end = try (first..<count).partitioningIndex { (row) throws(ArchiveError) in
            try self.digest(row) != digest
        }
        return first..<end
    }
}
