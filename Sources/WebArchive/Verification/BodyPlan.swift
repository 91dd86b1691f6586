// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A division of an archive's blocks and bodies into pieces of work for threads. Planning also finds bodies that their blocks do not cover,
/// and blocks that no body uses. Specification section 5, "A body".
struct BodyPlan {
    /// The blocks that are decoded together, and the bodies in them.
    struct Batch {
        /// The numbers of the blocks.
        var blocks: Range<Int>
        /// The decoded length of the blocks.
        var length = 0
        /// The indices in ``items``.
        var items: Range<Int>
        /// The length of the longest body in it, in bytes.
        var longest = 0
    }

    /// A piece of work for one thread.
    enum Work {
        /// The blocks of some short bodies.
        case batch(Batch)
        /// A body too long for a batch.
        case stream(BodyQueue.Item)
    }

    /// The maximum decoded length of one batch, in bytes.
    static let batchLimit = 8 << 20
    /// The length above which bodies are streams.
    static let streamThreshold = batchLimit / 2
    private static let usualBatch = 2 << 20
    private static let maximumCount = 1 << 14

    /// The blocks of all commits.
    let blocks: BlockRows
    /// The findings of the plan itself.
    private(set) var log = FindingLog()
    /// The pieces of the last part.
    private(set) var work: [Work] = []
    /// The bodies of the batches, in the order of their blocks.
    private(set) var items: [BodyQueue.Item] = []

    // Bodies come in the order of their first blocks, so that each of these only rises: one pass plans everything.
    private var batch: Batch?
    /// The end of the blocks that are in a batch, or covered by a stream.
    private var nextBlock = 0
    /// The end of the blocks that are in no batch because a stream covers them.
    private var streamEnd = 0
    /// The end of the blocks that a body uses, or that were reported as unused.
    private var usedEnd = 0
    private var fullBlocks = FullBlockWalk()
    /// The number of bytes of bodies that may still be planned; negative when it is used up.
    private var budget: Int
    private var uncheckedCount = 0

    /// Creates a plan. `budget` is the sum of the lengths of all bodies beyond which no more bodies are checked.
    init(_ blocks: BlockRows, budget: Int) {
        self.blocks = blocks
        self.budget = budget
    }

    // MARK: - Bodies

    /// Plans the next bodies, which must come in order.
    mutating func plan(_ part: [BodyQueue.Item]) {
        (work, items) = ([], [])
        items.reserveCapacity(part.count)
        for item in part { plan(item) }
        endBatch()
    }

    /// Plans the remaining blocks, which no body uses, and reports how many bodies could not be checked.
    mutating func finish(reportsUnused: Bool) {
        (work, items) = ([], [])
        advance(to: blocks.count)
        endBatch()
        noteUnused(before: blocks.count)
        if !reportsUnused { unused.removeAll() }
        for range in unused { report(range) }
        if uncheckedCount > 0 {
            log.add(.damaged("\(uncheckedCount) overlapping bodies exceeded the budget and were not checked"))
        }
    }

    private mutating func plan(_ item: BodyQueue.Item) {
        guard item.block < blocks.count else { return }
        guard !log.isFull else { return log.leaveOut(1) }
        noteUnused(before: item.block)
        usedEnd = max(usedEnd, item.block + 1)
        let count: Int
        do throws(ArchiveError) {
            guard let known = try blockCount(of: item) else { return }
            count = known
        } catch {
            // Its claimed blocks are not unused: one error is enough.
            let size = blocks.store.blockLength
            let claimed = item.block + (item.length + size - 1) / size
            usedEnd = max(usedEnd, min(claimed, blocks.neighbours(of: item.block).upperBound))
            return log.add(error, concerning: RowNumber(owner: .body, row: item.row))
        }
        let end = item.block + count
        usedEnd = max(usedEnd, end)
        advance(to: item.block)
        let isStream = item.length > Self.streamThreshold
        // The same bytes again are compared with the result for the previous body.
        let isRepeated = !isStream && items.last.map(item.hasSameBytes) ?? false
        if !isRepeated, budget >= 0 { budget -= count == 1 ? item.length : count * blocks.store.blockLength }
        guard budget >= 0 else {
            uncheckedCount += 1
            return
        }
        if isStream {
            streamEnd = max(streamEnd, end)
            return work.append(.stream(item))
        }
        append(item, end)
    }

    /// Returns the number of blocks that a body extends across; nil if reported blocks prevent it.
    private mutating func blockCount(of item: BodyQueue.Item) throws(ArchiveError) -> Int? {
        guard let first = blocks.length(item.block) else { return nil }
        if item.offset + item.length <= first { return 1 }
        let size = blocks.store.blockLength
        let place = bodyPlace(item)
        let commit = blocks.index.commit(place)
        let length = try commit.count(.bodyLength, Int(place.row), atMost: Int(FormatLimits.maximumFileLength))
        let count = (length + size - 1) / size
        let area = blocks.neighbours(of: item.block)
        let last = item.block + count - 1
        guard item.offset == 0, last < area.upperBound, fullBlocks.reach(from: item.block, to: last, in: area, blocks),
            let lastLength = blocks.length(last), lastLength >= length - (count - 1) * size
        else {
            throw commit.damaged("the blocks do not cover the body's length", .bodyLength, Int(place.row))
        }
        return count
    }

    private func bodyPlace(_ item: BodyQueue.Item) -> RowPlace {
        blocks.index.place(.body, row: item.row) ?? RowPlace(commit: 0, row: 0)
    }

    // MARK: - Batches

    private mutating func append(_ item: BodyQueue.Item, _ end: Int) {
        if let batch, batch.items.count == Self.maximumCount || item.block < batch.blocks.lowerBound { endBatch() }
        include(item.block..<end)
        items.append(item)
        guard var grown = batch else { return }
        grown.items = grown.items.lowerBound..<items.count
        grown.longest = max(grown.longest, item.length)
        batch = grown
    }

    /// Adds all blocks below `end` that are in no stream to a batch.
    private mutating func advance(to end: Int) {
        nextBlock = max(nextBlock, min(streamEnd, end))
        while nextBlock < end { include(nextBlock..<nextBlock + 1) }
    }

    /// Adds blocks to the current batch, or to a new one that starts with them.
    private mutating func include(_ range: Range<Int>) {
        if let batch, !fits(range, batch) { endBatch() }
        var grown = batch ?? Batch(blocks: range.lowerBound..<range.lowerBound, items: items.count..<items.count)
        for block in max(grown.blocks.upperBound, range.lowerBound)..<max(grown.blocks.upperBound, range.upperBound) {
            grown.length += blocks.length(block) ?? 0
        }
        grown.blocks = grown.blocks.lowerBound..<max(grown.blocks.upperBound, range.upperBound)
        batch = grown
        nextBlock = max(nextBlock, range.upperBound)
    }

    private func fits(_ range: Range<Int>, _ batch: Batch) -> Bool {
        guard range.upperBound > batch.blocks.upperBound else { return range.lowerBound >= batch.blocks.lowerBound }
        guard range.lowerBound >= batch.blocks.lowerBound, range.lowerBound <= batch.blocks.upperBound,
            batch.blocks.count + range.count <= Self.maximumCount
        else { return false }
        // A batch is worth more the more of its bodies can be hashed side by side.
        let usual = min(Self.batchLimit, max(Self.usualBatch, 16 * batch.longest))
        guard batch.length < usual else { return false }
        let more = (batch.blocks.upperBound..<range.upperBound).reduce(0) { $0 + (blocks.length($1) ?? 0) }
        return batch.length + more <= Self.batchLimit
    }

    private mutating func endBatch() {
        if let batch { work.append(.batch(batch)) }
        batch = nil
    }

    // MARK: - Unused blocks

    private var unused: [Range<Int>] = []

    private mutating func noteUnused(before block: Int) {
        guard block > usedEnd else { return }
        if unused.count < FindingLog.archiveLimit { unused.append(usedEnd..<block) }
        usedEnd = block
    }

    private mutating func report(_ range: Range<Int>) {
        let text =
            range.count == 1
            ? "block \(range.lowerBound) is" : "blocks \(range.lowerBound) to \(range.upperBound - 1) are"
        log.add(
            VerificationFinding(
                .unusedBlocks, .warning, "\(text) used by no body", offset: blocks.fileOffset(range.lowerBound)))
    }
}

/// A scan for the extent of full blocks. Queries come with rising starts, so all of them together take one scan.
private struct FullBlockWalk {
    private var end = 0

    /// Returns whether all blocks from `first` to the one before `last` are full.
    mutating func reach(from first: Int, to last: Int, in area: Range<Int>, _ blocks: BlockRows) -> Bool {
        end = max(end, first)
        while end < last, end < area.upperBound, blocks.length(end) == blocks.store.blockLength { end += 1 }
        return end >= last
    }
}
