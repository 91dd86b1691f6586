// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A check of blocks and bodies against section 5: their rows against each other, and, at full depth, every byte.
struct BodyChecks {
    let archive: ArchiveReader
    let depth: ArchiveVerifier.Depth

    /// Checks the rows of all bodies and blocks, and at full depth every byte.
    func run(_ parallel: ParallelWork, progress: (@Sendable (WorkProgress) -> Void)?, into log: inout FindingLog) {
        let blocks = BlockRows(archive)
        let counter = ProgressCounter(total: bodyLength, progress: depth == .full ? progress : nil)
        var queue = BodyQueue(index: archive.index, blockLength: blocks.store.blockLength)
        var plan = BodyPlan(blocks, budget: budget(blocks))
        while true {
            let part = queue.next()
            if part.isEmpty { break }
            plan.plan(part)
            run(plan, parallel, counter, into: &log)
        }
        plan.finish(reportsUnused: !queue.hasUnreadableRows)
        run(plan, parallel, counter, into: &log)
        log.merge(plan.log)
        counter.finish()
    }

    private func run(
        _ plan: BodyPlan, _ parallel: ParallelWork, _ counter: ProgressCounter, into log: inout FindingLog
    ) {
        guard depth == .full else { return }
        let (blocks, items) = (plan.blocks, plan.items)
        // The longest first, lest one thread hash alone at the end.
        let streams = plan.work.compactMap { if case .stream(let item) = $0 { item } else { nil } }
        let batches = plan.work.compactMap { if case .batch(let batch) = $0 { batch } else { nil } }
        parallel.run(
            streams.count + batches.count, state: { BodyWorker(blocks) },
            work: { worker, number in
                number < streams.count
                    ? worker.check(streams[number], counter)
                    : worker.check(batches[number - streams.count], items, counter)
            },
            merge: { part in log.merge(part) })
    }

    /// The length of all bodies, in bytes, for the progress.
    private var bodyLength: UInt64 { sum(.bodyLength, atMost: Int(FormatLimits.maximumFileLength)) }

    /// Bodies may share bytes, but not so many that checking a small file would never end.
    ///
    /// Only blocks that can be read count, and none for more than LZ4 makes of the bytes that it has.
    private func budget(_ blocks: BlockRows) -> Int {
        var total: UInt64 = 16 << 20
        for block in 0..<blocks.count {
            guard let description = try? blocks.store.describe(blocks.place(block)) else { continue }
            total += min(UInt64(description.length), description.stored.length.multipliedSaturated(by: 256))
        }
        return Int(min(total, 1 << 56)) * 4
    }

    /// Returns the sum of a column, without values out of bounds.
    private func sum(_ key: IndexKey, atMost limit: Int) -> UInt64 {
        var total: UInt64 = 0
        for commit in archive.index.commits {
            for row in 0..<commit.rowCount(key.owner) {
                // 2^48 bytes 2^32 times do not fit; a total that large is false anyway.
                total = min(total + UInt64((try? commit.count(key, row, atMost: limit)) ?? 0), 1 << 56)
            }
        }
        return total
    }
}
