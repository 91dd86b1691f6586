// SPDX-License-Identifier: Apache-2.0

extension StoredArchive {
    /// The row of a body of this archive, through all commits.
    package func number(of body: ArchiveBody) -> Int {
        index.commit(body.place).firstRow(.body) + Int(body.place.row)
    }

    /// The length of a body in the file, in bytes: its blocks, and of a block that it shares with other bodies its part by length.
    ///
    /// - Throws: `damaged` or `io`.
    package func storedLength(of body: ArchiveBody) throws(ArchiveError) -> UInt64 {
        guard let start = body.start else { return 0 }
        let first = try archive.blocks.describe(start.block)
        let length = UInt64(first.length)
        if UInt64(start.offset) + body.length <= length {
            // Both are at most 2^20.
            return (first.stored.length * body.length + length - 1) / max(length, 1)
        }
        let commit = index.commit(start.block)
        let count = (body.length + UInt64(blockLength) - 1) / UInt64(blockLength)
        var stored: UInt64 = 0
        for number in 0..<count {
            guard let row = UInt32(exactly: UInt64(start.block.row) + number), Int(row) < commit.rowCount(.block) else {
                throw .damaged("a body that is longer than its blocks")
            }
            stored += try archive.blocks.describe(RowPlace(commit: start.block.commit, row: row)).stored.length
        }
        return stored
    }
}
