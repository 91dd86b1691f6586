// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The rows of one commit: values by class, key and row. Specification section 6.
final class CommitIndex: Sendable {
    /// The position of a key's values.
    private struct Column {
        /// The offset of the value of row 0, in bytes from the start of the index.
        var start = 0
        /// The width of a row, in bytes.
        var stride = 0
        /// The width of a value, 0 to 8 bytes; 16 for digests.
        var width = 0
        /// The number of rows of the commit.
        var rowCount = 0
        /// The number that a stored 0 represents.
        var base: Int64 = 0
        /// The difference between stored values 0 and 1.
        var step: Int64 = 1
    }

    /// The position of a class's rows and texts.
    private struct Table {
        /// Whether the class table lists the class.
        var isListed = false
        /// The number of rows of this commit.
        var rowCount = 0
        /// The number of rows of all earlier commits.
        var firstRow = 0
        /// The offset of the texts, in bytes from the start of the index.
        var heapStart = 0
        /// The length of the texts, in bytes.
        var heapLength = 0
        /// The width of a row, in bytes.
        var rowWidth = 0
    }

    /// The footer of the commit.
    let footer: CommitFooter
    /// The sections of the commit.
    let sections: SectionTable
    /// The extent of the blocks in the file.
    let blocks: FileExtent
    /// The bytes of the index; nil for an empty one.
    let pages: VerifiedPages?
    /// The proof of the commit's parts; nil in an archive that was opened without keys.
    let proof: CommitProof?
    private let columns: [Column]
    private let tables: [Table]

    /// Reads the class table of a commit, and nothing of the index yet.
    ///
    /// - Throws: `damaged` or `io`; `limitExceeded` without address space; `untrusted` for a class table that was not
    ///   signed.
    init(
        source: any ByteSource, footer: CommitFooter, sections: SectionTable, proof: CommitProof? = nil
    ) throws(ArchiveError) {
        self.footer = footer
        self.sections = sections
        self.proof = proof
        let empty = try FileExtent(offset: footer.commitStart, length: 0, within: footer.offset)
        blocks = sections[.blocks]?.extent ?? empty
        let index = sections[.index]?.extent ?? empty
        let classes = try ClassTable(of: sections, in: source, proof: proof)
        pages =
            index.length > 0
            ? try VerifiedPages(
                source: source, index: index, sums: sections[.indexSums]?.extent ?? empty, proof: proof) : nil
        (tables, columns) = Self.layout(classes)
    }

    private static func layout(_ classes: ClassTable) -> ([Table], [Column]) {
        var tables = Array(repeating: Table(), count: IndexClass.allCases.count)
        var columns = IndexKey.allCases.map { Column(base: $0.defaultValue) }
        for owner in IndexClass.allCases {
            guard let table = classes[owner] else { continue }
            tables[owner.rawValue] = Table(
                isListed: true, rowCount: Int(table.rowCount), firstRow: Int(table.firstRow),
                heapStart: Int(table.heap.offset), heapLength: Int(table.heap.length), rowWidth: table.rowWidth)
            for key in owner.keys { columns[key.rawValue].rowCount = Int(table.rowCount) }
            for key in table.keys {
                columns[key.key.rawValue] = Column(
                    start: Int(table.rows.offset) + key.offset, stride: table.rowWidth, width: key.width,
                    rowCount: Int(table.rowCount), base: key.base, step: key.step)
            }
        }
        return (tables, columns)
    }

    /// Returns whether the commit's class table has a class, with or without rows.
    func lists(_ owner: IndexClass) -> Bool { tables[owner.rawValue].isListed }

    /// Counts the rows of a class in this commit.
    func rowCount(_ owner: IndexClass) -> Int { tables[owner.rawValue].rowCount }

    /// Counts the rows of a class in this commit that take no space in the file.
    func zeroWidthRowCount(_ owner: IndexClass) -> Int {
        let table = tables[owner.rawValue]
        return table.rowWidth == 0 ? table.rowCount : 0
    }

    /// Counts the rows of a class in all earlier commits.
    func firstRow(_ owner: IndexClass) -> Int { tables[owner.rawValue].firstRow }

    /// Returns the file offset of a row's value, for errors.
    func fileOffset(_ key: IndexKey, _ row: Int) -> UInt64 {
        let column = columns[key.rawValue]
        return pages?.fileOffset(column.start + row * column.stride) ?? footer.commitStart
    }

    /// Creates an error that names a row by its number through all commits, and the offset of its value.
    func damaged(_ message: String, _ key: IndexKey, _ row: Int) -> ArchiveError {
        .damaged("\(key.owner.name) \(firstRow(key.owner) + row): \(message)", offset: fileOffset(key, row))
    }

    /// Reads the number in a row of an integer, time, reference or text key. Rows are counted within the commit.
    ///
    /// Base + step × stored, of the key's default where the class table does not list it (specification section 6.2).
    ///
    /// - Throws: `damaged` for a row that is missing, or a number that does not fit 64 bits.
    @inline(__always)
    func integer(_ key: IndexKey, _ row: Int) throws(ArchiveError) -> Int64 {
        let column = columns[key.rawValue]
        guard row >= 0, row < column.rowCount else { throw outside(key, row) }
        guard column.width > 0, let pages else { return column.base }
        let bytes = try pages.bytes(at: column.start + row * column.stride, count: column.width)
        var stored: UInt64 = 0
        for position in 0..<column.width { stored |= UInt64(bytes[position]) << UInt64(8 * position) }
        // Unsigned, because the distance of base and value may exceed a signed number.
        let (scaled, overflow) = stored.multipliedReportingOverflow(by: UInt64(column.step))
        guard !overflow, scaled <= UInt64(bitPattern: .max &- column.base) else {
            throw damaged("number out of range", key, row)
        }
        return column.base &+ Int64(bitPattern: scaled)
    }

    /// Reads a count, which is not negative and at most `limit`.
    ///
    /// - Throws: `damaged` for any other.
    @inline(__always)
    func count(_ key: IndexKey, _ row: Int, atMost limit: Int) throws(ArchiveError) -> Int {
        let value = try integer(key, row)
        guard value >= 0, value <= Int64(limit) else { throw damaged("invalid \(key.name) \(value)", key, row) }
        return Int(value)
    }

    /// Reads the offsets of all blocks of the commit in the file.
    func blockOffsets() throws(ArchiveError) -> [UInt64] {
        var offsets: [UInt64] = []
        offsets.reserveCapacity(rowCount(.block))
        for row in 0..<rowCount(.block) {
            offsets.append(blocks.offset + UInt64(try count(.blockOffset, row, atMost: Int(blocks.length))))
        }
        return offsets
    }

    private func outside(_ key: IndexKey, _ row: Int) -> ArchiveError {
        .damaged("row \(row) of \(key.owner.name) does not exist", offset: footer.offset)
    }

    /// Reads the 16 bytes of a digest.
    func digest(_ row: Int) throws(ArchiveError) -> ContentDigest {
        let column = columns[IndexKey.bodyDigest.rawValue]
        guard row >= 0, row < column.rowCount else { throw outside(.bodyDigest, row) }
        guard column.width == ContentDigest.length, let pages else {
            // The key's default is zeros.
            return ContentDigest(high: 0, low: 0)
        }
        return ContentDigest(rawBytes: try pages.bytes(at: column.start + row * column.stride, count: column.width))
    }

    private func wrongLength(_ length: Int, _ limit: Int, _ key: IndexKey, _ row: Int) -> ArchiveError {
        damaged(length < 0 ? "texts overlap" : "text of \(length) bytes exceeds \(limit)", key, row)
    }

    /// Finds the text of a row, in checked memory that is valid for the lifetime of this object.
    ///
    /// - Parameter limit: the limit in bytes.
    /// - Throws: `damaged` for a longer text, and for positions that decrease.
    @inline(__always)
    func text(_ key: IndexKey, _ row: Int, atMost limit: Int) throws(ArchiveError) -> UnsafeRawBufferPointer {
        let table = tables[key.owner.rawValue]
        let start = try count(key, row, atMost: table.heapLength)
        let end = row + 1 < table.rowCount ? try count(key, row + 1, atMost: table.heapLength) : table.heapLength
        guard start <= end, end - start <= limit else { throw wrongLength(end - start, limit, key, row) }
        guard let pages else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return try pages.bytes(at: table.heapStart + start, count: end - start)
    }
}
