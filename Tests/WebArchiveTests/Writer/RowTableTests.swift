// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

/// Columns take the least room that holds them, and every number comes back.
@Suite struct RowTableTests {
    /// Encodes one column and reads it back by the rule of the specification's section 6.2, in numbers too wide to overflow.
    private func encode(_ values: [Int64], as key: IndexKey = .entryTime) throws -> (ClassTable.Table, [Int64]) {
        let folder = try TemporaryFolder()
        let file = try FileDescriptor.open(
            folder.path("f"), .readWrite, options: .create, permissions: [.ownerReadWrite])
        defer { try? file.close() }
        let writer = SequentialWriter(file, at: 0, name: "f")
        var sink = IndexSink(writer)
        var table = RowTable(key.owner, rowCount: values.count)
        table.add(key) { values[$0] }
        let none = try FileExtent(offset: 0, length: 0, within: 0)
        let description = try table.encode(into: &sink, firstRow: 5, heap: none)
        try sink.finish()
        try writer.flush()
        let bytes = try folder.read("f")
        #expect(description.rows.length == UInt64(bytes.count) && description.firstRow == 5)
        #expect(Int(description.rowCount) == values.count)
        guard let column = description.keys.first else {
            return (description, Array(repeating: key.defaultValue, count: values.count))
        }
        #expect(description.keys.count == 1 && column.key == key)
        let back = values.indices.map { row -> Int64 in
            let start = row * description.rowWidth + column.offset
            let stored = bytes[start..<start + column.width].reversed().reduce(Int128(0)) { $0 << 8 | Int128($1) }
            return Int64(exactly: Int128(column.base) + Int128(column.step) * stored) ?? 0
        }
        return (description, back)
    }

    @Test(
        arguments: [
            ([0, 0, 0], 0, nil, nil), ([7, 7], 0, 7, 1), ([5], 0, 5, 1), ([0, 255], 1, 0, 255), ([1, 256], 1, 1, 255),
            ([0, 1, 255], 1, 0, 1), ([0, 1, 256], 2, 0, 1), ([10, 20, 40], 1, 10, 10), ([-5, 0, 5], 1, -5, 5),
            ([1_000_000_000, 3_000_000_000, 9_000_000_000], 1, 1_000_000_000, 2_000_000_000),
            ([0, 65_536, 1], 3, 0, 1), ([.max, .max], 0, .max, 1), ([.min], 0, .min, 1),
            ([0, .max, 1], 8, 0, 1), ([.min, -1, -2], 8, .min, 1),
        ] as [([Int64], Int, Int64?, Int64?)])
    func leastWidth(values: [Int64], width: Int, base: Int64?, step: Int64?) throws {
        let (table, back) = try encode(values)
        #expect(back == values)
        #expect(table.rowWidth == width)
        #expect(table.keys.first?.base == base && table.keys.first?.step == step)
    }

    /// Numbers that lie further apart than a signed number can say.
    @Test(
        arguments: [
            [.min, .max], [.min, 0, .max], [-1, .max], [.min, 1], [.min, .min + 1, .max - 1], [.max, .min, 0, 17],
            [-5_000_000_000_000_000_000, 5_000_000_000_000_000_000],
        ] as [[Int64]])
    func wideRanges(values: [Int64]) throws {
        let (_, back) = try encode(values)
        #expect(back == values)
        // Through the reader as well.
        let times = values.map { ArchiveTime(nanoseconds: $0) }
        let exchanges = times.enumerated().map { Exchange("http://a/\($0)", time: $1) }
        let folder = try TemporaryFolder()
        let reader = try ArchiveReader(path: folder.archive(exchanges))
        #expect(try Commits([exchanges]).differences(from: reader) == [])
    }

    @Test func randomColumns() throws {
        var random = SeededGenerator.printed()
        for _ in 0..<150 {
            let bits = Int64.random(in: 0...63, using: &random)
            let step = random.chance(2) ? 1 : Int64.random(in: 1...1_000_000, using: &random)
            let base = Int64.random(in: -1_000_000...1_000_000, using: &random)
            let count = [1, 2, 100, 70_000][random.chance(20) ? 3 : Int.random(in: 0...2, using: &random)]
            let values = (0..<count).map { _ in base &+ step &* Int64(random.next() & (UInt64(1) << bits - 1)) }
            let (table, back) = try encode(values)
            #expect(back == values, "seed \(random.seed)")
            let least = values.min() ?? 0
            let range = values.map { UInt64(bitPattern: $0 &- least) }.max() ?? 0
            let divisor = UInt64(table.keys.first?.step ?? 1)
            let leastWidth = count > FormatLimits.maximumZeroWidthRowCount ? 1 : 0
            #expect(table.rowWidth == max(leastWidth, (64 - (range / divisor).leadingZeroBitCount + 7) / 8))
        }
    }

    /// Rows without width take no room in the file, so there may be only so many.
    @Test func rowsWithoutWidth() throws {
        for (count, width) in [(65_536, 0), (65_537, 1)] {
            let (table, _) = try encode(Array(repeating: 0, count: count))
            #expect(table.rowWidth == width && table.keys.isEmpty)
        }
        // A default that is not 0 is not written down, and 0 then is.
        #expect(try encode([200, 200], as: .responseStatus).0.keys.isEmpty)
        #expect(try encode([0, 0], as: .responseStatus).0.keys.first?.base == 0)
        // Text needs its column to have a heap.
        #expect(try encode([0, 0], as: .stringText).0.keys.count == 1)
        #expect(try encode([]).0.keys.isEmpty)
    }
}
