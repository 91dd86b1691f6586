// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveFormat

@Suite struct ClassTableTests {
    /// A key as the specification's section 6.1 lays it out.
    struct RawKey {
        var name: String
        var type: UInt8 = 1
        var width: UInt8 = 4
        var offset: UInt16 = 0
        var base: Int64 = 0
        var step: Int64 = 1
        var targets: [UInt8] = []
    }

    struct RawClass {
        var name: String
        var rowWidth: UInt16 = 16
        var rowCount: UInt32 = 0
        var firstRow: UInt32 = 0
        var rows: UInt64 = 0
        var heap: UInt64 = 0
        var heapLength: UInt64 = 0
        var keys: [RawKey] = []
    }

    private func bytes(_ classes: [RawClass], count: UInt16? = nil, trailing: [UInt8] = []) -> [UInt8] {
        var sink = ByteSink()
        sink.integer(count ?? UInt16(classes.count))
        for raw in classes {
            sink.name(raw.name)
            sink.integer(raw.rowWidth)
            sink.integer(raw.rowCount)
            sink.integer(raw.firstRow)
            sink.integer(raw.rows)
            sink.integer(raw.heap)
            sink.integer(raw.heapLength)
            sink.integer(UInt8(raw.keys.count))
            for key in raw.keys {
                sink.name(key.name)
                sink.integer(key.type)
                sink.integer(key.width)
                sink.integer(key.offset)
                sink.integer(key.base)
                sink.integer(key.step)
                sink.integer(UInt8(key.targets.count))
                sink.append(key.targets)
            }
        }
        return sink.bytes + trailing
    }

    private func decode(_ bytes: [UInt8], indexLength: UInt64 = 1000, checksum: UInt32? = nil) throws -> ClassTable {
        let section = SectionTable.Section(
            kind: .classes, isRequired: true,
            extent: try FileExtent(offset: 7000, length: UInt64(bytes.count), within: .max),
            checksum: checksum ?? Checksum.of(bytes))
        return try ClassTable(decoding: bytes, section: section, indexLength: indexLength)
    }

    private func code(_ classes: [RawClass], indexLength: UInt64 = 1000) -> ArchiveError.Code? {
        archiveError { _ = try decode(bytes(classes), indexLength: indexLength) }?.code
    }

    @Test func readsWhatTheSpecificationLaysOut() throws {
        let table = try decode(
            bytes([
                RawClass(
                    name: "Bucket", rowWidth: 5, rowCount: 8, firstRow: 100, rows: 40, heap: 90, heapLength: 7,
                    keys: [RawKey(name: "first", width: 3, offset: 2, base: -9, step: 7)]),
                RawClass(name: "Slot", rowCount: 0),
            ]))
        let bucket = try #require(table[.bucket])
        #expect(bucket.rowWidth == 5 && bucket.rowCount == 8 && bucket.firstRow == 100)
        #expect(bucket.rows.offset == 40 && bucket.rows.length == 40)
        #expect(bucket.heap.offset == 90 && bucket.heap.length == 7)
        #expect(bucket.keys == [ClassTable.Key(key: .bucketFirst, width: 3, offset: 2, base: -9, step: 7)])
        #expect(table[.slot]?.keys.isEmpty == true)
        #expect(table[.entry] == nil)
        #expect(try decode(bytes([])) == ClassTable())
    }

    /// Any table that can be built comes back as it was.
    @Test func roundTrip() throws {
        var random = SeededGenerator.printed()
        for _ in 0..<100 {
            var table = ClassTable()
            var position: UInt64 = 0
            func extent(_ length: UInt64) throws -> FileExtent {
                position += UInt64.random(in: 0...5000, using: &random)
                defer { position += length }
                return try FileExtent(offset: position, length: length, within: .max)
            }
            for owner in IndexClass.allCases.shuffled(using: &random) {
                var keys: [ClassTable.Key] = []
                for key in owner.keys.shuffled(using: &random) where random.chance(2) {
                    let isBytes = key.type == .bytes
                    let width = isBytes ? 16 : Int.random(in: 0...8, using: &random)
                    keys.append(
                        ClassTable.Key(
                            key: key, width: width, offset: Int.random(in: 0...300, using: &random),
                            base: isBytes ? 0 : Int64(bitPattern: random.next()),
                            step: isBytes ? 1 : Int64.random(in: 1 ... .max, using: &random)))
                }
                // A class of a later version is written only with rows.
                let rowCount = UInt32.random(in: (owner.isLater ? 1 : 0)...1000, using: &random)
                table[owner] = ClassTable.Table(
                    rowWidth: 400, rowCount: rowCount, firstRow: UInt32.random(in: 0...1_000_000, using: &random),
                    rows: try extent(400 * UInt64(rowCount)),
                    heap: try extent(UInt64.random(in: 0...5000, using: &random)), keys: keys)
            }
            let bytes = table.encoded()
            #expect(UInt64(bytes.count) <= FormatLimits.maximumClassTableLength)
            #expect(try decode(bytes, indexLength: 1 << 40) == table, "seed \(random.seed)")
        }
    }

    @Test func noByteBelongsToTwoClasses() {
        func code(_ name: String, rows: UInt64, heap: UInt64 = 0, length: UInt64 = 0) -> ArchiveError.Code? {
            self.code([
                RawClass(name: "Slot", rowCount: 2, rows: 100, heap: 200, heapLength: 10),
                RawClass(name: name, rowCount: 1, rows: rows, heap: heap, heapLength: length),
            ])
        }
        #expect(code("Entry", rows: 132) == nil && code("Entry", rows: 84, heap: 210, length: 5) == nil)
        #expect(code("Entry", rows: 131) == .damaged && code("Entry", rows: 85) == .damaged)
        #expect(code("Entry", rows: 195) == .damaged)
        #expect(code("Entry", rows: 0, heap: 110, length: 1) == .damaged)
        #expect(code("Entry", rows: 0, heap: 0, length: 16) == .damaged)
        // No bytes are shared where there are none, nor with a class of a later version.
        #expect(code("Entry", rows: 0, heap: 110, length: 0) == nil)
        #expect(code("Later", rows: 100) == nil)
    }

    @Test func unknownNamesAreSkipped() throws {
        let slot = RawClass(
            name: "Slot", keys: [RawKey(name: "later", type: 200, width: 9, targets: [9]), RawKey(name: "tag")])
        let later = RawClass(
            name: "Later", keys: [RawKey(name: "entry", type: 3, width: 12, base: 5, targets: [200, 1, 2, 3])])
        let table = try decode(bytes([later, slot]))
        #expect(table[.slot]?.keys.map(\.key) == [.slotTag])
        #expect(table.tables.count == 1)
        // Names are matched as they stand.
        #expect(try decode(bytes([RawClass(name: "slot")])).tables.isEmpty)
    }

    @Test func limitsOfAClass() {
        let most = UInt32.max - 1
        let cases: [(RawClass, ArchiveError.Code?)] = [
            (RawClass(name: "Slot", rowWidth: 1024, rowCount: 0), nil),
            (RawClass(name: "Slot", rowWidth: 1025, rowCount: 0), .damaged),
            (RawClass(name: "Slot", rowWidth: 0, rowCount: 65_536), nil),
            (RawClass(name: "Slot", rowWidth: 0, rowCount: 65_537), .damaged),
            (RawClass(name: "Slot", rowWidth: 0, rowCount: 2, firstRow: most - 2), nil),
            (RawClass(name: "Slot", rowWidth: 0, rowCount: 3, firstRow: most - 2), .damaged),
            (RawClass(name: "Slot", rowWidth: 0, rowCount: 1, firstRow: .max), .damaged),
            (RawClass(name: "Slot", rowWidth: 10, rowCount: 100), nil),
            (RawClass(name: "Slot", rowWidth: 10, rowCount: 101), .damaged),
            (RawClass(name: "Slot", rowWidth: 10, rowCount: 99, rows: 10), nil),
            (RawClass(name: "Slot", rowWidth: 10, rowCount: 99, rows: 11), .damaged),
            (RawClass(name: "Slot", rowWidth: 10, rowCount: 1, rows: .max - 9), .damaged),
            (RawClass(name: "Slot", rowWidth: 1024, rowCount: most), .damaged),
            (RawClass(name: "Slot", heap: 990, heapLength: 10), nil),
            (RawClass(name: "Slot", heap: 990, heapLength: 11), .damaged),
            (RawClass(name: "Slot", heap: 1, heapLength: .max), .damaged),
            (RawClass(name: "Unknown", rowWidth: 1025, rowCount: 0), .damaged),
        ]
        for (raw, expected) in cases { #expect(code([raw]) == expected, "\(raw)") }
    }

    @Test func limitsOfAKey() {
        let cases: [(String, RawKey, ArchiveError.Code?)] = [
            ("Slot", RawKey(name: "tag", width: 8, offset: 8), nil),
            ("Slot", RawKey(name: "tag", width: 8, offset: 9), .damaged),
            ("Slot", RawKey(name: "tag", width: 0, offset: 17), .damaged),
            ("Slot", RawKey(name: "tag", width: 9), .damaged),
            ("Slot", RawKey(name: "tag", offset: .max), .damaged),
            ("Slot", RawKey(name: "tag", step: 0), .damaged),
            ("Slot", RawKey(name: "tag", step: -1), .damaged),
            ("Slot", RawKey(name: "other", step: 0), .damaged),
            ("Slot", RawKey(name: "tag", type: 2), .damaged),
            ("Slot", RawKey(name: "tag", type: 0), .damaged),
            ("Slot", RawKey(name: "tag", targets: [0]), .damaged),
            ("Slot", RawKey(name: "other", targets: [0, 0, 0, 0, 0]), .damaged),
            ("Entry", RawKey(name: "time", type: 2, base: .min, step: .max), nil),
            ("Entry", RawKey(name: "time", type: 1), .damaged),
            ("String", RawKey(name: "text", type: 5), nil),
            ("String", RawKey(name: "text", type: 4), .damaged),
            ("Body", RawKey(name: "digest", type: 4, width: 16), nil),
            ("Body", RawKey(name: "digest", type: 4, width: 15), .damaged),
            ("Body", RawKey(name: "digest", type: 4, width: 0), .damaged),
            ("Body", RawKey(name: "digest", type: 4, width: 16, base: 1), .damaged),
            ("Body", RawKey(name: "digest", type: 4, width: 16, step: 2), .damaged),
            ("Body", RawKey(name: "digest", type: 1, width: 8), .damaged),
        ]
        for (owner, key, expected) in cases {
            #expect(code([RawClass(name: owner, keys: [key])]) == expected, "\(owner) \(key)")
        }
    }

    @Test func targets() {
        func code(_ targets: [UInt8], _ names: [String] = ["Redirect", "Response"]) -> ArchiveError.Code? {
            let entry = RawClass(name: "Entry", keys: [RawKey(name: "answer", type: 3, targets: targets)])
            return self.code([entry] + names.map { RawClass(name: $0) })
        }
        #expect(code([2, 1]) == nil)
        #expect(code([1, 2]) == .damaged)  // The order matters.
        #expect(code([2]) == .damaged)
        #expect(code([2, 1, 0]) == .damaged)
        #expect(code([2, 3]) == .damaged)
        #expect(code([255, 1]) == .damaged)
        #expect(code([]) == .damaged)
        #expect(code([2, 1], ["Redirect", "response"]) == .damaged)
    }

    @Test func namesStandOnce() {
        #expect(code([RawClass(name: "Slot"), RawClass(name: "Slot")]) == .damaged)
        #expect(code([RawClass(name: "Later"), RawClass(name: "Later")]) == .damaged)
        #expect(code([RawClass(name: "Slot", keys: [RawKey(name: "tag"), RawKey(name: "tag")])]) == .damaged)
        #expect(code([RawClass(name: "Slot", keys: [RawKey(name: "x"), RawKey(name: "x")])]) == .damaged)
        #expect(
            code([
                RawClass(name: "Slot", keys: [RawKey(name: "x")]), RawClass(name: "Later", keys: [RawKey(name: "x")]),
            ]) == nil)
    }

    @Test func counts() {
        let many = (0..<65).map { RawClass(name: "C\($0)", keys: []) }
        #expect(code(Array(many.dropLast())) == nil)
        #expect(code(many) == .damaged)
        let keys = (0..<65).map { RawKey(name: "k\($0)") }
        #expect(code([RawClass(name: "Slot", keys: Array(keys.dropLast()))]) == nil)
        #expect(code([RawClass(name: "Slot", keys: keys)]) == .damaged)
    }

    @Test func theEndOfTheTable() {
        let slot = RawClass(name: "Slot", keys: [RawKey(name: "tag"), RawKey(name: "entry", offset: 4)])
        let good = bytes([slot])
        let end = 7000 + UInt64(good.count)
        #expect(failure { _ = try decode(good + [0]) } == Failure(.damaged, at: end))
        #expect(archiveError { _ = try decode(bytes([slot], count: 2)) }?.code == .damaged)
        #expect(failure { _ = try decode(bytes([slot], count: 0)) } == Failure(.damaged, at: 7002))
        for length in good.indices {
            #expect(archiveError { _ = try decode(Array(good[..<length])) }?.code == .damaged, "\(length)")
        }
        #expect(failure { _ = try decode(good, checksum: 1) } == Failure(.damaged, at: 7000))
    }

    /// Whatever bytes come with a right checksum: a table or an error, and never a table that reaches outside.
    @Test func randomChanges() throws {
        var random = SeededGenerator.printed()
        let classes = IndexClass.allCases.map {
            RawClass(name: $0.name, rowCount: 1, rows: UInt64(16 * $0.rawValue))
        }
        let good = bytes(classes)
        var (read, refused) = (0, 0)
        for _ in 0..<5_000 {
            var bytes = good
            for _ in 0...Int.random(in: 0...2, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let table = try? decode(bytes) else {
                refused += 1
                continue
            }
            read += 1
            for table in table.tables.values {
                #expect(table.rows.end <= 1000 && table.heap.end <= 1000, "seed \(random.seed)")
                #expect(table.keys.allSatisfy { $0.offset + $0.width <= table.rowWidth })
            }
        }
        #expect(read > 0 && refused > 1000)
    }
}
