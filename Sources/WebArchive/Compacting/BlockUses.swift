// SPDX-License-Identifier: Apache-2.0

/// The use that copied bodies make of each block, and the decision that follows from it.
struct BlockUses {
    /// The blocks that are not copied as stored: their kept bodies are compressed again.
    enum Splitting {
        /// Splits no block.
        case never
        /// Splits a block of which less than half is kept: copying it would keep more waste than content.
        case belowHalf
        /// Splits a block of which not all bytes are kept, so that none of the other bodies stays in the file.
        case unlessFull
    }

    /// The used bytes of each block; a body with a block of its own counts as more than any block has.
    private var used: [UInt64]
    /// For each block, the number of bodies across several blocks that begin there, less those that end before it.
    private var begun: [Int]

    init(blockCount: Int) {
        used = [UInt64](repeating: 0, count: blockCount)
        begun = [Int](repeating: 0, count: blockCount + 1)
    }

    /// Adds the bytes of its blocks that a body uses.
    mutating func add(_ body: StoredArchive.Body) {
        guard body.blocks.count == 1 else {
            // A body across several blocks needs them one after the other.
            begun[body.blocks.lowerBound] += 1
            begun[body.blocks.upperBound] -= 1
            return
        }
        let block = body.blocks.lowerBound
        used[block] = used[block].addingSaturated(body.length)
    }

    /// Finishes adding: one pass, for any number of bodies across the same blocks.
    mutating func finish() {
        var open = 0
        for block in used.indices {
            open += begun[block]
            if open > 0 { used[block] = .max }
        }
        begun = []
    }

    /// Returns whether any copied body uses a part of a block.
    func isUsed(_ block: Int) -> Bool { used[block] > 0 }

    /// Returns whether the kept bodies of a block are compressed again.
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
