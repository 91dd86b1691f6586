// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A check of the hash table of one commit against section 8.4: every key has one slot, and every slot a key.
///
/// It proceeds from the slots to the keys: so many keys of one hash cost no more than others.
struct HashTableChecks {
    let archive: ArchiveReader
    let number: Int
    /// The entries that are the first with their key, which need a slot.
    let firstOfKey: AtomicBits

    private var commit: CommitIndex { archive.index.commits[number] }

    /// Checks the buckets, then the slots, then that each key has one.
    func run(_ parallel: ParallelWork, into log: inout FindingLog) {
        let (commit, bucketCount) = (commit, commit.rowCount(.bucket))
        guard commit.entryCount > 0 else {
            if bucketCount + commit.rowCount(.slot) > 0 {
                log.add(damaged("the commit has a hash table but no entries"))
            }
            return
        }
        guard bucketCount > 0, bucketCount & (bucketCount - 1) == 0 else {
            return log.add(damaged("the number of buckets, \(bucketCount), is not a power of 2"))
        }
        // Buckets that overlap could make a small table a long walk.
        do throws(ArchiveError) { try checkBuckets(bucketCount) } catch { return log.add(error) }
        let table = Table(
            archive: archive, number: number, commit: commit, firstOfKey: firstOfKey,
            reached: AtomicBits(count: commit.entryCount), reachedTwice: AtomicBits(count: commit.entryCount),
            isUnreadable: AtomicBits(count: 1))
        parallel.forEachPart(of: bucketCount, in: archive.index, into: &log) { table.check($0) }
        guard !table.isUnreadable.contains(0) else { return }
        parallel.forEachPart(of: commit.entryCount, in: archive.index, into: &log) { table.checkReach($0) }
    }

    private func damaged(_ message: String) -> ArchiveError { .damaged(message, offset: commit.footer.offset) }

    private func checkBuckets(_ bucketCount: Int) throws(ArchiveError) {
        var previous = 0
        for bucket in 0..<bucketCount {
            let first = try commit.count(.bucketFirst, bucket, atMost: commit.rowCount(.slot))
            guard first >= previous else { throw commit.damaged("the buckets overlap", .bucketFirst, bucket) }
            guard bucket > 0 || first == 0 else {
                throw commit.damaged("the first bucket does not start at slot 0", .bucketFirst, 0)
            }
            previous = first
            if bucket % 65_536 == 0 { archive.index.trimPages() }
        }
    }
}

private struct Table: Sendable {
    let archive: ArchiveReader
    let number: Int
    let commit: CommitIndex
    let firstOfKey: AtomicBits
    /// The entries that a slot leads to.
    let reached: AtomicBits
    /// The entries that several slots lead to.
    let reachedTwice: AtomicBits
    /// The state of reading in bit 0: some slot or key could not be read, so keys without a slot cannot be found.
    let isUnreadable: AtomicBits

    /// Checks the slots of some buckets.
    func check(_ buckets: Range<Int>) -> FindingLog {
        var log = FindingLog(limit: FindingLog.partLimit)
        var hashes = RecentValues<Int, Int>(capacity: 1 << 15)
        do throws(ArchiveError) {
            let slotCount = commit.rowCount(.slot)
            for bucket in buckets {
                let first = try commit.count(.bucketFirst, bucket, atMost: slotCount)
                let isLast = bucket + 1 == commit.rowCount(.bucket)
                let end = isLast ? slotCount : try commit.count(.bucketFirst, bucket + 1, atMost: slotCount)
                for slot in first..<max(first, end) {
                    do throws(ArchiveError) {
                        if let stray = try check(slot, in: bucket, &hashes) { log.add(stray) }
                    } catch {
                        isUnreadable.insert(0)
                        log.add(error)
                    }
                }
            }
        } catch {
            isUnreadable.insert(0)
            log.add(error)
        }
        return log
    }

    /// Returns the fault of a readable slot.
    ///
    /// - Parameter hashes: the hashes of the keys of entries that were read lately, for any number of slots may lead to one.
    private func check(
        _ slot: Int, in bucket: Int, _ hashes: inout RecentValues<Int, Int>
    ) throws(ArchiveError) -> ArchiveError? {
        let row = try commit.integer(.slotEntry, slot)
        guard row >= 0, row < Int64(commit.entryCount) else {
            return commit.damaged("the slot refers to missing entry \(row)", .slotEntry, slot)
        }
        let entry = Int(row)
        let hash: Int
        if let known = hashes[entry] {
            hash = known
        } else {
            hash = Int(Checksum.of(try commit.key(entry)))
            hashes[entry] = hash
        }
        guard firstOfKey.contains(entry) else {
            return commit.damaged(
                "the slot refers to entry \(row), which is not the first with its URL", .slotEntry, slot)
        }
        guard hash & (commit.rowCount(.bucket) - 1) == bucket else {
            return commit.damaged("the slot is in the wrong bucket", .slotEntry, slot)
        }
        guard try commit.integer(.slotTag, slot) == Int64(hash >> 24) else {
            return commit.damaged("the slot has an invalid tag", .slotTag, slot)
        }
        if reached.insert(entry) { reachedTwice.insert(entry) }
        return nil
    }

    /// Checks that one slot leads to each key.
    func checkReach(_ rows: Range<Int>) -> FindingLog {
        var log = FindingLog(limit: FindingLog.partLimit)
        for row in rows where firstOfKey.contains(row) {
            let entry = RowNumber(owner: .entry, row: commit.firstRow(.entry) + row)
            if !reached.contains(row) {
                log.add(commit.damaged("no slot refers to this URL", .keyBlockKeys, row / 16), concerning: entry)
            } else if reachedTwice.contains(row) {
                log.add(commit.damaged("several slots refer to this URL", .keyBlockKeys, row / 16), concerning: entry)
            }
        }
        return log
    }
}
