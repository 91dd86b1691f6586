// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The blocks of all commits, numbered from 0 in the order of the file.
struct BlockRows: Sendable {
    let index: ArchiveIndex
    /// The store that reads them.
    let store: BlockStore
    /// The number of the first block of each commit, and the number of all blocks.
    private let starts: [Int]

    init(_ archive: ArchiveReader) {
        index = archive.index
        store = archive.blocks
        var starts = [0]
        for commit in archive.index.commits { starts.append((starts.last ?? 0) + commit.rowCount(.block)) }
        self.starts = starts
    }

    /// The number of blocks.
    var count: Int { starts.last ?? 0 }

    /// Returns the position of a block, which must exist.
    func place(_ block: Int) -> RowPlace {
        let commit = commit(of: block)
        return RowPlace(commit: UInt32(commit), row: UInt32(block - starts[commit]))
    }

    /// Returns the numbers of the blocks in the same commit.
    func neighbours(of block: Int) -> Range<Int> {
        let commit = commit(of: block)
        return starts[commit]..<starts[commit + 1]
    }

    private func commit(of block: Int) -> Int {
        starts.indices.partitioningIndex { starts[$0] > block } - 1
    }

    /// Reads the decoded length of a block; nil if it cannot be read, which has been reported.
    func length(_ block: Int) -> Int? {
        let place = place(block)
        let length = try? index.commit(place).count(.blockLength, Int(place.row), atMost: store.blockLength)
        return length == 0 ? nil : length
    }

    /// Reads the offset of a block in the file; nil if it cannot be read.
    func fileOffset(_ block: Int) -> UInt64? {
        let place = place(block)
        let commit = index.commit(place)
        let limit = Int(commit.blocks.length)
        return (try? commit.count(.blockOffset, Int(place.row), atMost: limit)).map {
            commit.blocks.offset + UInt64($0)
        }
    }

    func number(_ block: Int) -> RowNumber { RowNumber(owner: .block, row: block) }
}
