// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// The stored blocks of the old archive, found by their bytes.
struct OldBlocks: Sendable {
    /// The properties by which a block with the same bytes is found. Different blocks may share them.
    private struct Name: Hashable {
        let checksum: UInt32
        let storedLength: UInt64
        let length: UInt32
        let coding: BlockCoding

        init(_ block: StoredArchive.Block) {
            (checksum, storedLength, length, coding) = (block.checksum, block.stored.length, block.length, block.coding)
        }
    }

    private let archive: StoredArchive
    /// One row for each name, the last one.
    private let rows: [Name: Int]

    /// Costs a reading of the rows of all blocks.
    init(_ archive: StoredArchive) {
        self.archive = archive
        var rows: [Name: Int] = [:]
        for row in 0..<archive.blockCount {
            guard let block = try? archive.block(row) else { continue }
            rows[Name(block)] = row
        }
        self.rows = rows
    }

    /// Finds a block like that of the new archive which is stored in these bytes; nil if there is none. It costs a reading of one block at
    /// most.
    func row(of bytes: [UInt8], _ block: StoredArchive.Block) throws(ArchiveError) -> Int? {
        guard let row = rows[Name(block)],
            let stored = try? archive.storedBytes(row), stored == bytes
        else { return nil }
        return row
    }
}
