// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The rows of one class for an index: finds the narrowest form of each column, then writes row by row.
///
/// Specification sections 6.2 and 11. Values are computed twice, so that no column is held in memory.
struct RowTable {
    fileprivate enum Column {
        case numbers(IndexKey, (Int) -> Int64)
        case digests(IndexKey, (Int) -> ContentDigest)
    }

    /// The class of the rows.
    let owner: IndexClass
    /// The rows of the commit.
    let rowCount: Int
    private var columns: [Column] = []

    init(_ owner: IndexClass, rowCount: Int) {
        self.owner = owner
        self.rowCount = rowCount
    }

    /// Adds a column of integers, times, references or text positions.
    ///
    /// - Parameter value: a function that returns the number of a row, the same each time.
    mutating func add(_ key: IndexKey, _ value: @escaping (Int) -> Int64) { columns.append(.numbers(key, value)) }

    /// Adds a column of digests.
    mutating func add(_ key: IndexKey, digest: @escaping (Int) -> ContentDigest) {
        columns.append(.digests(key, digest))
    }

    /// Writes the rows and describes them. A column that has only its default value is left out.
    ///
    /// - Parameters:
    ///   - sink: the index.
    ///   - firstRow: the rows of the class in earlier commits.
    ///   - heap: the place of the text of the class in the index.
    func encode(
        into sink: inout IndexSink, firstRow: UInt32, heap: FileExtent
    ) throws(ArchiveError) -> ClassTable.Table {
        var keys: [ClassTable.Key] = []
        var width = 0
        for column in columns {
            var key = describe(column)
            key.offset = width
            // A text column stays even if all its texts are empty, and a column of zeros equals its default.
            if key.width == 0, key.base == key.key.defaultValue, key.key.type != .text { continue }
            width += key.width
            keys.append(key)
        }
        if width == 0, rowCount > Int(FormatLimits.maximumZeroWidthRowCount) { width = 1 }
        let start = sink.length
        try writeRows(keys, width: width, into: &sink)
        let rows = try FileExtent(
            offset: start, length: UInt64(width) * UInt64(rowCount), within: FormatLimits.maximumFileLength)
        return ClassTable.Table(
            rowWidth: width, rowCount: UInt32(rowCount), firstRow: firstRow, rows: rows, heap: heap, keys: keys)
    }

    private func describe(_ column: Column) -> ClassTable.Key {
        guard case .numbers(let key, let value) = column else {
            return ClassTable.Key(key: .bodyDigest, width: ContentDigest.length, offset: 0, base: 0, step: 1)
        }
        guard rowCount > 0 else {
            return ClassTable.Key(key: key, width: 0, offset: 0, base: key.defaultValue, step: 1)
        }
        var (least, greatest, step) = (Int64.max, Int64.min, UInt64(0))
        var previous = value(0)
        for row in 0..<rowCount {
            let next = value(row)
            least = min(least, next)
            greatest = max(greatest, next)
            step = Self.greatestCommonDivisor(step, next.magnitudeOfDifference(to: previous))
            previous = next
        }
        // As an unsigned number the range is right however far apart the two are.
        let range = UInt64(bitPattern: greatest &- least)
        let divisor = Int64(exactly: max(step, 1)) ?? 1
        let largest = range / UInt64(divisor)
        let width = (64 - largest.leadingZeroBitCount + 7) / 8
        return ClassTable.Key(key: key, width: width, offset: 0, base: least, step: divisor)
    }

    private static func greatestCommonDivisor(_ left: UInt64, _ right: UInt64) -> UInt64 {
        if left == 1 { return 1 }
        var (a, b) = (left, right)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }

    private func writeRows(_ keys: [ClassTable.Key], width: Int, into sink: inout IndexSink) throws(ArchiveError) {
        guard width > 0 else { return }
        let present = columns.compactMap { column in
            keys.first { $0.key == column.key }.map { (column, $0) }
        }
        let rowsAtOnce = max(1, 65_536 / width)
        var chunk = [UInt8](repeating: 0, count: rowsAtOnce * width)
        for start in stride(from: 0, to: rowCount, by: rowsAtOnce) {
            let end = min(start + rowsAtOnce, rowCount)
            for (column, key) in present {
                for row in start..<end {
                    let place = (row - start) * width + key.offset
                    switch column {
                    case .numbers(_, let value):
                        var stored = UInt64(bitPattern: value(row) &- key.base) / UInt64(key.step)
                        for position in place..<place + key.width {
                            chunk[position] = UInt8(truncatingIfNeeded: stored)
                            stored >>= 8
                        }
                    case .digests(_, let digest):
                        let value = digest(row)
                        for position in 0..<8 {
                            chunk[place + position] = UInt8(truncatingIfNeeded: value.high >> UInt64(56 - 8 * position))
                            chunk[place + 8 + position] = UInt8(
                                truncatingIfNeeded: value.low >> UInt64(56 - 8 * position))
                        }
                    }
                }
            }
            let used = (end - start) * width
            try chunk.withBytes { (bytes) throws(ArchiveError) in
                try sink.append(UnsafeRawBufferPointer(rebasing: bytes[..<used]))
            }
        }
    }
}

extension RowTable.Column {
    fileprivate var key: IndexKey {
        switch self {
        case .numbers(let key, _), .digests(let key, _): key
        }
    }
}

extension Int64 {
    fileprivate func magnitudeOfDifference(to other: Int64) -> UInt64 {
        self >= other ? UInt64(bitPattern: self &- other) : UInt64(bitPattern: other &- self)
    }
}
