// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

@Suite struct IndexEncoderTests {
    /// Specification section 8.4: every slot is in the bucket of its hash, and nothing is lost.
    @Test func hashSlots() throws {
        var random = SeededGenerator.printed()
        #expect(HashSlots([]).bucketStarts.isEmpty && HashSlots([]).slots.isEmpty)
        for count in [1, 2, 3, 4, 5, 16, 17, 1000] {
            let hashes = (0..<count).map { _ in
                random.chance(4) ? 0x1234_5678 : UInt32(truncatingIfNeeded: random.next())
            }
            let table = HashSlots(hashes.enumerated().map { HashSlots.Slot(hash: $1, entry: UInt32($0)) })
            let buckets = table.bucketStarts.count
            #expect(buckets & (buckets - 1) == 0 && buckets > 0)
            #expect(buckets == 1 || count <= 2 * buckets, "about two slots to a bucket")
            #expect(table.bucketStarts == table.bucketStarts.sorted() && table.bucketStarts.first == 0)
            var found: [UInt32: UInt32] = [:]
            for bucket in 0..<buckets {
                let end = bucket + 1 < buckets ? Int(table.bucketStarts[bucket + 1]) : table.slots.count
                for slot in table.slots[Int(table.bucketStarts[bucket])..<end] {
                    #expect(Int(slot.hash) % buckets == bucket)
                    found[slot.entry] = slot.hash
                }
            }
            #expect(found.count == count && found.allSatisfy { hashes[Int($0)] == $1 })
        }
    }

    /// Specification sections 7 and 8: the order of the rows that a reader searches.
    @Test func ordersOfTheSpecification() throws {
        let folder = try TemporaryFolder()
        var generator = ExchangeGenerator(.printed(), blockLength: 4096)
        let commits = generator.commits(1, of: 120)
        let reader = try ArchiveReader(path: folder.archive(commits.commits[0]))
        let commit = reader.index.commits[0]
        let digests = try (0..<commit.rowCount(.body)).map { try commit.digest($0).bytes }
        #expect(digests == digests.sorted { $0.lexicographicallyPrecedes($1) } && digests.count > 10)
        let keys = try (0..<commit.entryCount).map { try commit.key($0) }
        #expect(keys == keys.sorted { $0.lexicographicallyPrecedes($1) })
        #expect(commit.rowCount(.keyBlock) == (commit.entryCount + 15) / 16)
        // One slot for each key, at its first row.
        let slots = try (0..<commit.rowCount(.slot)).map { try Int(commit.integer(.slotEntry, $0)) }
        #expect(Set(slots) == Set(keys.indices.filter { $0 == 0 || keys[$0] != keys[$0 - 1] }))
        #expect(slots.count == Set(slots).count)
        // Blocks lie one after another, in the order in which the first entries that use them were added.
        let offsets = try (0..<commit.rowCount(.block)).map { try commit.integer(.blockOffset, $0) }
        #expect(offsets.first == 0 && zip(offsets, offsets.dropFirst()).allSatisfy { $0 < $1 })
        // Strings in bytewise order; fill strings, if any, stand behind them.
        let strings = try (0..<commit.rowCount(.string)).map {
            Array(try commit.text(.stringText, $0, atMost: FormatLimits.maximumStringLength))
        }
        let sorted = zip(strings, strings.dropFirst()).prefix { $0.lexicographicallyPrecedes($1) }.count
        #expect(sorted > 20)
    }
}
