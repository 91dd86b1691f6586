// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The rows of one commit: values by class, key and row. Specification section 6.
final class CommitIndex: Sendable {
    /// The place of a key's values.
    private struct Column {
        var start = 0
        var stride = 0
        var width = 0
        var rowCount = 0
        var base: Int64 = 0
        var step: Int64 = 1
    }

    private struct Table {
        var isListed = false
        var rowCount = 0
        var firstRow = 0
        var heapStart = 0
        var heapLength = 0
        var rowWidth = 0
    }

    let footer: CommitFooter
    let sections: SectionTable
    /// The extent of the blocks in the file.
    let blocks: FileExtent
    let pages: VerifiedPages?
    private let columns: [Column]
    private let tables: [Table]

    init(source: any ByteSource, footer: CommitFooter, sections: SectionTable) throws(ArchiveError) {
        self.footer = footer
        self.sections = sections
        let empty = try FileExtent(offset: footer.commitStart, length: 0, within: footer.offset)
        blocks = sections[.blocks]?.extent ?? empty
        let index = sections[.index]?.extent ?? empty
        let classes: ClassTable
        if let section = sections[.classes] {
            let bytes = try source.bytes(at: section.extent.offset, count: Int(section.extent.length))
            classes = try ClassTable(decoding: bytes, section: section, indexLength: index.length)
        } else {
            classes = ClassTable()
        }
        pages =
            index.length > 0
            ? try VerifiedPages(source: source, index: index, sums: sections[.indexSums]?.extent ?? empty) : nil
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

    func lists(_ owner: IndexClass) -> Bool { tables[owner.rawValue].isListed }

    /// Rows of a class in this commit.
    func rowCount(_ owner: IndexClass) -> Int { tables[owner.rawValue].rowCount }

    /// Rows of a class in this commit that take no room in the file.
    func zeroWidthRowCount(_ owner: IndexClass) -> Int {
        let table = tables[owner.rawValue]
        return table.rowWidth == 0 ? table.rowCount : 0
    }

    /// Rows of a class in all earlier commits.
    func firstRow(_ owner: IndexClass) -> Int { tables[owner.rawValue].firstRow }

    /// The place of a row's value in the file, for errors.
    func fileOffset(_ key: IndexKey, _ row: Int) -> UInt64 {
        let column = columns[key.rawValue]
        return pages?.fileOffset(column.start + row * column.stride) ?? footer.commitStart
    }

    func damaged(_ message: String, _ key: IndexKey, _ row: Int) -> ArchiveError {
        .damaged("\(key.owner.name) \(firstRow(key.owner) + row): \(message)", offset: fileOffset(key, row))
    }

    /// The number of a row of an integer, time, reference or text key. Rows are counted within the commit.
    @inline(__always)
    func integer(_ key: IndexKey, _ row: Int) throws(ArchiveError) -> Int64 {
        let column = columns[key.rawValue]
        guard row >= 0, row < column.rowCount else { throw outside(key, row) }
        guard column.width > 0, let pages else { return column.base }
        let bytes = try pages.bytes(at: column.start + row * column.stride, count: column.width)
        var stored: UInt64 = 0
        for position in 0..<column.width { stored |= UInt64(bytes[position]) << UInt64(8 * position) }
        // Unsigned, because base and value may lie further apart than a signed number can say.
        let (scaled, overflow) = stored.multipliedReportingOverflow(by: UInt64(column.step))
        guard !overflow, scaled <= UInt64(bitPattern: .max &- column.base) else {
            throw damaged("a number too large", key, row)
        }
        return column.base &+ Int64(bitPattern: scaled)
    }

    /// A value that counts something, and so is not negative and at most `limit`.
    @inline(__always)
    func count(_ key: IndexKey, _ row: Int, atMost limit: Int) throws(ArchiveError) -> Int {
        let value = try integer(key, row)
        guard value >= 0, value <= Int64(limit) else { throw damaged("\(key.name) is \(value)", key, row) }
        return Int(value)
    }

    private func outside(_ key: IndexKey, _ row: Int) -> ArchiveError {
        .damaged("there is no row \(row) of \(key.owner.name)", offset: footer.offset)
    }

    /// The 16 bytes of a digest.
    func digest(_ row: Int) throws(ArchiveError) -> ContentDigest {
        let column = columns[IndexKey.bodyDigest.rawValue]
        guard row >= 0, row < column.rowCount else { throw outside(.bodyDigest, row) }
        guard column.width == ContentDigest.length, let pages else {
            // The key's default is zeros.
            return ContentDigest(high: 0, low: 0)
        }
        return ContentDigest(rawBytes: try pages.bytes(at: column.start + row * column.stride, count: column.width))
    }

    /// The text of a row, in checked memory that lives as long as this object.
    @inline(__always)
    func text(_ key: IndexKey, _ row: Int, atMost limit: Int) throws(ArchiveError) -> UnsafeRawBufferPointer {
        let table = tables[key.owner.rawValue]
        let start = try count(key, row, atMost: table.heapLength)
        let end = row + 1 < table.rowCount ? try count(key, row + 1, atMost: table.heapLength) : table.heapLength
        guard start <= end, end - start <= limit else { throw damaged("text of impossible length", key, row) }
        guard let pages else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return try pages.bytes(at: table.heapStart + start, count: end - start)
    }
}
