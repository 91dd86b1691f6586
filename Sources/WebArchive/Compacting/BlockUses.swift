// SPDX-License-Identifier: Apache-2.0

/// The use that copied bodies make of each block, and the decision that follows from it.
struct BlockUses {
    /// In bytes; what a body has to itself counts as more than any block has.
    private var used: [UInt64]
    /// At each block, how many more bodies that run through several begin there than end before it.
    private var begun: [Int]

    init(blockCount: Int) {
        used = [UInt64](repeating: 0, count: blockCount)
        begun = [Int](repeating: 0, count: blockCount + 1)
    }

    /// Adds what a body uses of its blocks.
    mutating func add(_ body: StoredArchive.Body) {
        guard body.blocks.count == 1 else {
            // A body that runs through blocks needs them one behind the other.
            begun[body.blocks.lowerBound] += 1
            begun[body.blocks.upperBound] -= 1
            return
        }
        let block = body.blocks.lowerBound
        used[block] = used[block].addingSaturated(body.length)
    }

    /// Ends the adding: one walk, however many bodies run through the same blocks.
    mutating func finish() {
        var open = 0
        for block in used.indices {
            open += begun[block]
            if open > 0 { used[block] = .max }
        }
        begun = []
    }

    /// Tells whether any body that is copied has a part of a block.
    func isUsed(_ block: Int) -> Bool { used[block] > 0 }

    /// Whether less than half of a block of this length is used, so that copying it would keep more waste than content.
    func isSparse(_ block: Int, length: UInt32) -> Bool {
        isUsed(block) && used[block] < UInt64(length) - UInt64(length) / 2
    }
}
