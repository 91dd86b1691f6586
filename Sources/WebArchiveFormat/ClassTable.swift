// SPDX-License-Identifier: Apache-2.0

/// A table that describes the rows of a commit's index: its classes, and the position of each key's value in a row.
///
/// Specification section 6.1. Only classes and keys that this version knows are kept.
package struct ClassTable: Equatable, Sendable {
    /// The description of a class in one commit.
    package struct Table: Equatable, Sendable {
        /// The width of a row, 0 to 1,024 bytes.
        package var rowWidth: Int
        /// The number of rows of the class in this commit.
        package var rowCount: UInt32
        /// The number of rows of the class in all earlier commits.
        package var firstRow: UInt32
        /// The extent of the rows, from the start of the index.
        package var rows: FileExtent
        /// The extent of the texts, from the start of the index.
        package var heap: FileExtent
        /// The keys of the class that this version knows.
        package var keys: [Key]

        package init(
            rowWidth: Int, rowCount: UInt32, firstRow: UInt32, rows: FileExtent, heap: FileExtent, keys: [Key]
        ) {
            self.rowWidth = rowWidth
            self.rowCount = rowCount
            self.firstRow = firstRow
            self.rows = rows
            self.heap = heap
            self.keys = keys
        }
    }

    /// The position of a key's values in the rows of its class.
    package struct Key: Equatable, Sendable {
        package var key: IndexKey
        /// The width of a value, in bytes; 0 where all rows have ``base``.
        package var width: Int
        /// The offset of a value in its row, in bytes.
        package var offset: Int
        /// The number that a stored 0 represents.
        package var base: Int64
        /// The difference between stored values 0 and 1, at least 1.
        package var step: Int64

        package init(key: IndexKey, width: Int, offset: Int, base: Int64, step: Int64) {
            self.key = key
            self.width = width
            self.offset = offset
            self.base = base
            self.step = step
        }
    }

    /// The tables of the commit's classes that this version knows.
    package private(set) var tables: [IndexClass: Table] = [:]

    package init() {}

    /// The table of a class; nil if the commit does not list it, and so has no rows of it.
    package subscript(owner: IndexClass) -> Table? {
        get { tables[owner] }
        set { tables[owner] = newValue }
    }
}

// MARK: - Reading

extension ClassTable {
    private typealias RawKey = (
        name: String, type: UInt8, width: Int, offset: Int, base: Int64, step: Int64, targets: [UInt8], place: UInt64
    )
    private typealias RawTable = (name: String, table: Table, keys: [RawKey])

    /// Reads the table from the bytes of its section.
    ///
    /// Everything is checked against the limits of section 10 here, so that reading a row needs no check of its place.
    ///
    /// - Parameters:
    ///   - section: the section of type `CLSS`, with its checksum.
    ///   - indexLength: the length of `INDX`, in bytes.
    /// - Throws: `damaged` for a violation of section 6.1, with the offset of the class or key.
    package init(decoding bytes: [UInt8], section: SectionTable.Section, indexLength: UInt64) throws(ArchiveError) {
        guard Checksum.of(bytes) == section.checksum else {
            throw .damaged("the class table does not match its checksum", offset: section.extent.offset)
        }
        var cursor = ByteCursor(bytes, at: section.extent.offset)
        let count = Int(try cursor.integer(UInt16.self))
        guard count <= FormatLimits.maximumClassCount else {
            throw .damaged(
                "\(count) classes exceed the limit of \(FormatLimits.maximumClassCount)", offset: section.extent.offset)
        }
        var raw: [RawTable] = []
        for _ in 0..<count { raw.append(try Self.readTable(&cursor, indexLength: indexLength)) }
        guard cursor.isAtEnd else { throw .damaged("trailing bytes after the class table", offset: cursor.offset) }
        guard Set(raw.map(\.name)).count == count else {
            throw .damaged("duplicate class", offset: section.extent.offset)
        }
        try Self.checkOverlaps(raw, offset: section.extent.offset)
        for (name, table, keys) in raw {
            guard let owner = IndexClass.named(name) else { continue }
            tables[owner] = table
            for key in keys { try keep(key, of: owner, classNames: raw.map(\.name)) }
        }
    }

    /// Checks that rows and heaps share no bytes, since a small file could otherwise represent any number of rows of long texts.
    private static func checkOverlaps(_ tables: [RawTable], offset: UInt64) throws(ArchiveError) {
        let parts = tables.filter { IndexClass.named($0.name) != nil }.flatMap { table in
            [(table.name, table.table.rows), (table.name, table.table.heap)].filter { $0.1.length > 0 }
        }.sorted { $0.1.offset < $1.1.offset }
        for (one, next) in zip(parts, parts.dropFirst()) where one.1.end > next.1.offset {
            throw .damaged("rows or texts of \(one.0) and \(next.0) overlap", offset: offset)
        }
    }

    private static func readTable(_ cursor: inout ByteCursor, indexLength: UInt64) throws(ArchiveError) -> RawTable {
        let place = cursor.offset
        let name = try cursor.name()
        let rowWidth = Int(try cursor.integer(UInt16.self))
        let rowCount: UInt32 = try cursor.integer()
        let firstRow: UInt32 = try cursor.integer()
        guard rowWidth <= FormatLimits.maximumRowWidth,
            rowWidth > 0 || rowCount <= FormatLimits.maximumZeroWidthRowCount,
            UInt64(firstRow) + UInt64(rowCount) <= FormatLimits.maximumRowCount
        else {
            throw .damaged("class \(name) exceeds the limits", offset: place)
        }
        let rows = try FileExtent(
            offset: cursor.integer(), length: UInt64(rowCount) * UInt64(rowWidth), within: indexLength)
        let heap = try FileExtent(offset: cursor.integer(), length: cursor.integer(), within: indexLength)
        let keyCount = Int(try cursor.integer(UInt8.self))
        guard keyCount <= FormatLimits.maximumKeyCount else {
            throw .damaged("\(keyCount) keys exceed the limit of \(FormatLimits.maximumKeyCount)", offset: place)
        }
        var keys: [RawKey] = []
        for _ in 0..<keyCount { keys.append(try readKey(&cursor, rowWidth: rowWidth)) }
        guard Set(keys.map(\.name)).count == keyCount else {
            throw .damaged("duplicate key of \(name)", offset: place)
        }
        let table = Table(
            rowWidth: rowWidth, rowCount: rowCount, firstRow: firstRow, rows: rows, heap: heap, keys: [])
        return (name, table, keys)
    }

    private static func readKey(_ cursor: inout ByteCursor, rowWidth: Int) throws(ArchiveError) -> RawKey {
        let place = cursor.offset
        let name = try cursor.name()
        let type: UInt8 = try cursor.integer()
        let width = Int(try cursor.integer(UInt8.self))
        let offset = Int(try cursor.integer(UInt16.self))
        let base: Int64 = try cursor.integer()
        let step: Int64 = try cursor.integer()
        let targetCount = Int(try cursor.integer(UInt8.self))
        guard offset + width <= rowWidth, step >= 1, targetCount <= FormatLimits.maximumTargetCount else {
            throw .damaged("key \(name) does not fit its row", offset: place)
        }
        let targets = Array(try cursor.bytes(targetCount))
        return (name, type, width, offset, base, step, targets, place)
    }

    private mutating func keep(_ raw: RawKey, of owner: IndexClass, classNames: [String]) throws(ArchiveError) {
        guard let key = owner.keys.first(where: { $0.name == raw.name }) else { return }
        let isFixed = key.type == .bytes
        guard raw.type == key.type.rawValue, isFixed ? raw.base == 0 && raw.step == 1 : raw.width <= 8,
            key.owner != .body || !isFixed || raw.width == ContentDigest.length
        else {
            let fault =
                raw.type == key.type.rawValue
                ? "an invalid width, base or step" : "type \(raw.type), expected \(key.type.rawValue)"
            throw .damaged("key \(owner.name).\(raw.name) has \(fault)", offset: raw.place)
        }
        guard raw.targets.count == key.targets.count,
            zip(raw.targets, key.targets).allSatisfy({ index, target in
                index < classNames.count && classNames[Int(index)] == target.name
            })
        else {
            throw .damaged("key \(owner.name).\(raw.name) has invalid reference targets", offset: raw.place)
        }
        tables[owner]?.keys.append(
            Key(key: key, width: raw.width, offset: raw.offset, base: raw.base, step: raw.step))
    }
}

// MARK: - Writing

extension ClassTable {
    /// Returns the bytes of the section, with the classes of version 1.0, and later ones that have rows, in the order of ``IndexClass``.
    package func encoded() -> [UInt8] {
        // Every class of version 1.0 is listed, so that references can name classes without rows. None leads to a later one.
        let listed = IndexClass.allCases.filter { !$0.isLater || (tables[$0]?.rowCount ?? 0) > 0 }
        var sink = ByteSink()
        sink.integer(UInt16(listed.count))
        for owner in listed {
            let table = tables[owner]
            sink.name(owner.name)
            sink.integer(UInt16(table?.rowWidth ?? 0))
            sink.integer(table?.rowCount ?? 0)
            sink.integer(table?.firstRow ?? 0)
            sink.integer(table?.rows.offset ?? 0)
            sink.integer(table?.heap.offset ?? 0)
            sink.integer(table?.heap.length ?? 0)
            sink.integer(UInt8(table?.keys.count ?? 0))
            for key in table?.keys ?? [] {
                sink.name(key.key.name)
                sink.integer(key.key.type.rawValue)
                sink.integer(UInt8(key.width))
                sink.integer(UInt16(key.offset))
                sink.integer(key.base)
                sink.integer(key.step)
                sink.integer(UInt8(key.key.targets.count))
                sink.append(key.key.targets.map { UInt8($0.rawValue) })
            }
        }
        return sink.bytes
    }
}
