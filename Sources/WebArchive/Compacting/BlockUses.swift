// SPDX-License-Identifier: Apache-2.0

/// The use that copied bodies make of each block, and the decision that follows from it.
struct BlockUses {
    /// The blocks that are not copied as they are: the bodies that are kept of them are compressed again.
    enum Splitting {
        /// No block.
        case never
        /// A block less than half of which is kept: copying it would keep more waste than content.
        case belowHalf
        /// A block of which not all bytes are kept, so that nothing of the other bodies stays in the file.
        case unlessFull
    }

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
            // A body that runs through blocks needs them one after the other.
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

    /// Returns whether any body that is copied has a part of a block.
    func isUsed(_ block: Int) -> Bool { used[block] > 0 }

    /// Returns whether the bodies that are kept of a block are compressed again.
    ///
    /// - Parameter length: the length of the block, decoded, in bytes.
    func isSplit(_ block: Int, length: UInt32, _ splitting: Splitting) -> Bool {
        guard isUsed(block) else { return false }
        return switch splitting {
        case .never: false
        case .belowHalf: used[block] < UInt64(length) - UInt64(length) / 2
        case .unlessFull: used[block] < UInt64(length)
        }
    }
}
