// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A decoder that reads, checks and decodes consecutive blocks into one piece of memory, in large reads.
struct BlockRunDecoder {
    private let blocks: BlockRows
    private var decoded = ScratchBuffer(0)
    private var stored = ScratchBuffer(0)
    private var firstBlock = 0
    /// The start of each block in the decoded bytes, and the end of the last one.
    private var positions: [Int] = []
    /// The number of missing blocks before each one.
    private var missing: [Int] = []

    /// The number of stored bytes that are read at once, unless one block is longer.
    private static let readLength = 1 << 20

    init(_ blocks: BlockRows) { self.blocks = blocks }

    /// Decodes blocks of at most `length` bytes in total; those that cannot be decoded are reported and missing.
    mutating func decode(_ range: Range<Int>, length: Int, into log: inout FindingLog) {
        // Allocated at once for all batches: the system provides its pages on first use, and only once.
        if decoded.bytes.count < length { decoded = ScratchBuffer(max(length, BodyPlan.batchLimit)) }
        firstBlock = range.lowerBound
        (positions, missing) = ([0], [0])
        positions.reserveCapacity(range.count + 1)
        missing.reserveCapacity(range.count + 1)
        var run: [BlockStore.Description] = []
        var runLength = 0
        for block in range {
            // The fault of the row has been reported.
            guard let description = try? blocks.store.describe(blocks.place(block)) else {
                decode(run, before: block, into: &log)
                (run, runLength) = ([], 0)
                note(length: 0, isMissing: true)
                continue
            }
            let count = Int(description.stored.length)
            let isAdjacent = run.last.map { $0.stored.end == description.stored.offset } ?? true
            if !isAdjacent || runLength + count > Self.readLength {
                decode(run, before: block, into: &log)
                (run, runLength) = ([], 0)
            }
            run.append(description)
            runLength += count
        }
        decode(run, before: range.upperBound, into: &log)
    }

    /// Returns the bytes of a body in the blocks that were decoded; nil if some of them are missing.
    func bytes(of item: BodyQueue.Item) -> UnsafeRawBufferPointer? {
        bytes(from: item.block, offset: item.offset, count: item.length)
    }

    /// Returns bytes that start in a block and extend across as many as needed; nil if some of them are missing.
    func bytes(from block: Int, offset: Int, count: Int) -> UnsafeRawBufferPointer? {
        let first = block - firstBlock
        let start = positions[first] + offset
        var last = first
        while last + 1 < positions.count, positions[last + 1] < start + count { last += 1 }
        guard last + 1 < positions.count, missing[last + 1] == missing[first] else { return nil }
        return UnsafeRawBufferPointer(rebasing: decoded.bytes[start..<start + count])
    }

    private mutating func note(length: Int, isMissing: Bool) {
        positions.append((positions.last ?? 0) + length)
        missing.append((missing.last ?? 0) + (isMissing ? 1 : 0))
    }

    // MARK: - Runs

    /// Decodes adjacent blocks of the file; `end` is the number of the block after them.
    private mutating func decode(_ run: [BlockStore.Description], before end: Int, into log: inout FindingLog) {
        guard let first = run.first, let last = run.last else { return }
        let extent = first.stored.offset..<last.stored.end
        let bytes = try? bytes(extent)
        for (place, description) in run.enumerated() {
            let block = end - run.count + place
            do throws(ArchiveError) {
                let own = description.stored.offset..<description.stored.end
                // A failed large read does not show which blocks are lost; small reads do.
                if let bytes {
                    let start = Int(own.lowerBound - extent.lowerBound)
                    try decode(UnsafeRawBufferPointer(rebasing: bytes[start..<start + own.count]), description)
                } else {
                    try decode(self.bytes(own), description)
                }
                note(length: description.length, isMissing: false)
            } catch {
                log.add(error, concerning: blocks.number(block))
                note(length: description.length, isMissing: true)
            }
        }
    }

    private mutating func bytes(_ extent: Range<UInt64>) throws(ArchiveError) -> UnsafeRawBufferPointer {
        let source = blocks.index.source
        if let mapped = source.mappedBytes {
            return UnsafeRawBufferPointer(rebasing: mapped[Int(extent.lowerBound)..<Int(extent.upperBound)])
        }
        if stored.bytes.count < extent.count { stored = ScratchBuffer(max(extent.count, Self.readLength)) }
        let target = UnsafeMutableRawBufferPointer(rebasing: stored.bytes[..<extent.count])
        try source.read(at: extent.lowerBound, into: target)
        return UnsafeRawBufferPointer(target)
    }

    private func decode(
        _ bytes: UnsafeRawBufferPointer, _ description: BlockStore.Description
    ) throws(ArchiveError) {
        let start = positions.last ?? 0
        let target = UnsafeMutableRawBufferPointer(rebasing: decoded.bytes[start..<start + description.length])
        try blocks.store.check(bytes, description)
        if description.coding == .raw {
            target.copyMemory(from: bytes)
        } else {
            try blocks.store.decode(bytes, description, into: target)
        }
    }
}
