// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// The index of a commit in the form of a patch: column by column, as differences, without derived parts.
///
/// Patch specification section 4.
struct IndexStream {
    /// The class table.
    let classes: ClassTable
    /// Whether the hash table is derived from the keys.
    let derivesHashTable: Bool

    /// The columns that are derived from blocks and bodies.
    private static let derived: Set<IndexKey> = [
        .bodyDigest, .bodyBlock, .bodyOffset, .bodyLength, .blockOffset, .blockLength, .blockChecksum,
    ]
    /// The columns of the hash table (specification section 8.4).
    private static let hashTable: Set<IndexKey> = [.bucketFirst, .slotEntry, .slotTag]
    /// The columns that refer to bodies.
    static let references: [IndexKey] = [
        .requestBody, .responseBody, .redirectBody, .dictionaryBody, .metadataBody,
    ]

    /// The tables in the order of the stream.
    private var tables: [ClassTable.Table] { IndexClass.allCases.filter { !$0.isLater }.compactMap { classes[$0] } }

    /// Returns whether a column is sent. References to bodies are sent even if all rows have the same: the rank of the body is not known yet.
    private func isSent(_ key: ClassTable.Key) -> Bool {
        !key.key.isLater && (key.width > 0 || Self.references.contains(key.key)) && !Self.derived.contains(key.key)
            && !(derivesHashTable && Self.hashTable.contains(key.key))
    }

    /// Returns the stream of an index.
    ///
    /// - Parameters:
    ///   - image: the bytes of the index, checked against ``classes``.
    ///   - ranks: the ranks by row of a body within the commit.
    func encode(_ image: IndexImage, ranks: [UInt32]) throws(ArchiveError) -> [UInt8] {
        var stream: [UInt8] = []
        for table in tables {
            for key in table.keys where isSent(key) {
                var previous: Int64 = 0
                for row in 0..<Int(table.rowCount) {
                    let value: Int64
                    if Self.references.contains(key.key) {
                        value = image.renumbered(try image.value(key, table, row), by: ranks)
                    } else {
                        value = Int64(bitPattern: image.stored(key, table, row))
                    }
                    stream.appendSigned(value &- previous)
                    previous = value
                }
            }
            if table.heap.length > 0 { stream += image.bytes[Int(table.heap.offset)..<Int(table.heap.end)] }
        }
        return stream
    }

    /// Writes a stream into an index of zeros.
    ///
    /// - Returns: the values of ``references`` with bodies by rank, which the caller writes when their rows are known.
    /// - Throws: `damaged` for a stream that is not of this class table.
    func decode(
        _ stream: [UInt8], into image: inout IndexImage
    ) throws(ArchiveError) -> [IndexKey: [Int64]] {
        var cursor = NumberCursor(stream)
        var references: [IndexKey: [Int64]] = [:]
        for table in tables {
            for key in table.keys where isSent(key) {
                let isReference = Self.references.contains(key.key)
                var (previous, values) = (Int64(0), [Int64]())
                for row in 0..<Int(table.rowCount) {
                    previous &+= try cursor.signed()
                    if isReference {
                        values.append(previous)
                    } else {
                        try image.write(UInt64(bitPattern: previous), key, table, row)
                    }
                }
                if isReference { references[key.key] = values }
            }
            let heap = try cursor.bytes(Int(table.heap.length))
            image.bytes.replaceSubrange(Int(table.heap.offset)..<Int(table.heap.end), with: heap)
        }
        guard cursor.isAtEnd else { throw .damaged("trailing bytes after the index of the patch") }
        return references
    }
}

/// The bytes of an index, by class, key and row.
struct IndexImage {
    /// The bytes of `INDX`, of the length that the class table was checked against.
    var bytes: [UInt8]
    /// The number of bodies of all earlier commits.
    let firstBody: Int64

    /// Reads a stored number.
    func stored(_ key: ClassTable.Key, _ table: ClassTable.Table, _ row: Int) -> UInt64 {
        let place = Int(table.rows.offset) + row * table.rowWidth + key.offset
        var stored: UInt64 = 0
        for position in (0..<min(key.width, 8)).reversed() { stored = stored << 8 | UInt64(bytes[place + position]) }
        return stored
    }

    /// Reads a value: base + step × stored.
    ///
    /// - Throws: `damaged` for one of more than 64 bits.
    func value(_ key: ClassTable.Key, _ table: ClassTable.Table, _ row: Int) throws(ArchiveError) -> Int64 {
        let stored = stored(key, table, row)
        let (scaled, overflow) = stored.multipliedReportingOverflow(by: UInt64(key.step))
        guard !overflow, scaled <= UInt64(bitPattern: .max &- key.base) else {
            throw .damaged("number out of range in key \(key.key.name)")
        }
        return key.base &+ Int64(bitPattern: scaled)
    }

    /// Reads the values of a whole column, or their default.
    ///
    /// - Throws: `damaged` for a different number of rows.
    func values(_ key: IndexKey, of classes: ClassTable, count: Int) throws(ArchiveError) -> [Int64] {
        guard let table = classes[key.owner], let own = table.keys.first(where: { $0.key == key }) else {
            return Array(repeating: key.defaultValue, count: count)
        }
        guard Int(table.rowCount) == count else {
            throw .damaged("the patch has \(table.rowCount) rows of \(key.owner.name), expected \(count)")
        }
        var values: [Int64] = []
        for row in 0..<count { values.append(try value(own, table, row)) }
        return values
    }

    /// Writes a stored number.
    ///
    /// - Throws: `damaged` for one that is wider than the key.
    mutating func write(
        _ stored: UInt64, _ key: ClassTable.Key, _ table: ClassTable.Table, _ row: Int
    ) throws(ArchiveError) {
        guard key.width <= 8, key.width == 8 || stored >> UInt64(8 * key.width) == 0 else {
            throw .damaged("a value of key \(key.key.name) exceeds \(key.width) bytes")
        }
        let place = Int(table.rows.offset) + row * table.rowWidth + key.offset
        for position in 0..<key.width {
            bytes[place + position] = UInt8(truncatingIfNeeded: stored >> UInt64(8 * position))
        }
    }

    /// Writes a value.
    ///
    /// - Throws: `damaged` for one that the key cannot have.
    mutating func write(
        value: Int64, _ key: ClassTable.Key, _ table: ClassTable.Table, _ row: Int
    ) throws(ArchiveError) {
        let distance = UInt64(bitPattern: value &- key.base)
        guard value >= key.base, distance % UInt64(key.step) == 0 else {
            throw .damaged("invalid value of key \(key.key.name) in the patch")
        }
        try write(distance / UInt64(key.step), key, table, row)
    }

    /// Writes the values of a whole column; does nothing if the class table does not list it.
    ///
    /// - Throws: `damaged` for a value that the column cannot have, and for a different number of rows.
    mutating func write(
        _ key: IndexKey, of classes: ClassTable, count: Int, _ value: (Int) -> Int64
    ) throws(ArchiveError) {
        guard let table = classes[key.owner], Int(table.rowCount) == count else {
            guard count == 0 else {
                throw .damaged(
                    "the patch has \(classes[key.owner]?.rowCount ?? 0) rows of \(key.owner.name), expected \(count)")
            }
            return
        }
        guard let own = table.keys.first(where: { $0.key == key }) else {
            for row in 0..<count where value(row) != key.defaultValue {
                throw .damaged("invalid value of key \(key.name) in the patch")
            }
            return
        }
        for row in 0..<count { try write(value: value(row), own, table, row) }
    }

    /// Returns a reference to a body of the commit with the number of the body replaced, its rank for its row or the reverse; others stay.
    func renumbered(_ value: Int64, by numbers: [UInt32]) -> Int64 {
        let (number, overflow) = value.subtractingReportingOverflow(firstBody + 1)
        guard !overflow, number >= 0, number < Int64(numbers.count) else { return value }
        return firstBody + Int64(numbers[Int(number)]) + 1
    }
}
