// SPDX-License-Identifier: Apache-2.0

/// The runs of full blocks of an archive, which limit bodies across several blocks. Specification section 5.
struct FullBlocks {
    /// For each block, the first block from it on that is not full; and one more element.
    private var ends: [UInt32]

    /// Reads each row of `Block`.
    init(_ archive: StoredArchive) {
        let count = archive.blockCount
        ends = [UInt32](repeating: UInt32(count), count: count + 1)
        for number in (0..<count).reversed() {
            // A block that cannot be read is not full.
            let isFull = (try? archive.block(number)).map { Int($0.length) == archive.blockLength } ?? false
            ends[number] = isFull ? ends[number + 1] : UInt32(number)
        }
    }

    /// Returns whether all blocks of a range but the last one are full.
    func contain(_ blocks: Range<Int>) -> Bool { Int(ends[blocks.lowerBound]) >= blocks.upperBound - 1 }
}
