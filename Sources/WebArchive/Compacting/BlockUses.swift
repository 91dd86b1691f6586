// SPDX-License-Identifier: Apache-2.0

/// How much of each block the bodies that are copied use, and what follows from it.
struct BlockUses {
    /// In bytes; what a body has to itself counts as more than any block has.
    private var used: [UInt64]

    init(blockCount: Int) { used = [UInt64](repeating: 0, count: blockCount) }

    mutating func add(_ body: StoredArchive.Body) {
        guard body.blocks.count == 1 else {
            // A body that runs through blocks needs them one behind the other.
            for block in body.blocks { used[block] = .max }
            return
        }
        let (sum, overflow) = used[body.blocks.lowerBound].addingReportingOverflow(body.length)
        used[body.blocks.lowerBound] = overflow ? .max : sum
    }

    func isUsed(_ block: Int) -> Bool { used[block] > 0 }

    /// Whether less than half of a block of this length is used, so that copying it would keep more waste than content.
    func isSparse(_ block: Int, length: UInt32) -> Bool {
        isUsed(block) && used[block] < UInt64(length) - UInt64(length) / 2
    }
}
