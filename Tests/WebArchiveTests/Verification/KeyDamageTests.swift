// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Keys, their order, and the hash table, with all sums right.
@Suite struct KeyDamageTests {
    private func messages(_ surgeon: ArchiveSurgeon) throws -> [String] {
        let findings = try surgeon.findings(.quick)
        #expect(try surgeon.findings(.quick, threads: 3) == findings)
        return findings.map(\.message)
    }

    private func pages(_ count: Int) throws -> ArchiveSurgeon {
        try SampleArchive.surgeon { writer in
            for number in 100..<100 + count { try SampleArchive.page("https://site.example/\(number)", nil, writer) }
        }
    }

    /// The position of the keys' text in the file.
    private func heap(_ surgeon: ArchiveSurgeon) throws -> Range<Int> {
        let heap = try #require(try surgeon.classes()[.keyBlock]?.heap)
        let index = try #require(try surgeon.archive.index.commits[0].sections[.index]?.extent)
        return Int(index.offset + heap.offset)..<Int(index.offset + heap.end)
    }

    @Test func keyThatIsNotCanonical() throws {
        var surgeon = try pages(1)
        let heap = try heap(surgeon)
        surgeon.bytes[heap.lowerBound + 2] = 0x48
        try surgeon.repair()
        let findings = try surgeon.findings(.quick)
        #expect(findings.first?.message == "KeyBlock 0: the key is not a canonical URL")
        #expect(findings.first?.url == "Https://site.example/100")
        // The hash is another one as well.
        #expect(findings.count == 3)
    }

    @Test func keysOutOfOrder() throws {
        var surgeon = try pages(20)
        let heap = try heap(surgeon)
        // The last digit of the third key: 102 becomes 100.
        let place = try #require(surgeon.bytes[heap].firstIndex(of: 0x32))
        surgeon.bytes[place] = 0x30
        try surgeon.repair()
        #expect(try messages(surgeon).contains("KeyBlock 0: the keys of entries 1 and 2 are not in order"))
    }

    @Test func keyBlocks() throws {
        var surgeon = try pages(40)
        try surgeon.changeClasses { $0[.keyBlock]?.rowCount = 2 }
        let found = try messages(surgeon)
        #expect(found.first == "the commit has 2 key blocks, expected 3")
        surgeon = try pages(20)
        // The second block claims the last bytes of the first one.
        let start = try surgeon.value(.keyBlockKeys, 1)
        try surgeon.set(.keyBlockKeys, 1, to: start + 3)
        #expect(try messages(surgeon).contains("KeyBlock 0: trailing bytes after the last key"))
        try surgeon.set(.keyBlockKeys, 1, to: start - 1)
        #expect(try messages(surgeon).contains("KeyBlock 0: the lengths in a key block are inconsistent"))
        let findings = try surgeon.findings(.quick)
        #expect(
            findings.first { $0.message.hasSuffix("the lengths in a key block are inconsistent") }?.affectedURLCount
                == 1)
    }

    @Test func capturesOutOfOrder() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            for time in 1...3 { try SampleArchive.page("https://site.example/", nil, writer, time: Int64(time)) }
        }
        #expect(try surgeon.findings() == [])
        try surgeon.set(.entryTime, 0, to: 1)
        #expect(try messages(surgeon) == ["Entry 1: the entries of a URL are not in order"])
        #expect(try surgeon.findings().first?.url == "https://site.example/")
    }

    @Test func methodsOutOfOrder() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            for method in ["PUT", "POST", "HEAD", "GET"] {
                try writer.add(
                    ArchiveRequest(method: method, url: "https://site.example/"), response: ArchiveResponse())
            }
        }
        #expect(try surgeon.findings() == [])
        let (first, second) = (try surgeon.value(.entryRequest, 1), try surgeon.value(.entryRequest, 2))
        try surgeon.set(.entryRequest, 1, to: second)
        try surgeon.set(.entryRequest, 2, to: first)
        #expect(try messages(surgeon) == ["Entry 2: the entries of a URL are not in order"])
    }

    // MARK: - Hash table

    @Test func slotTags() throws {
        var surgeon = try pages(50)
        let tag = try surgeon.value(.slotTag, 7)
        try surgeon.set(.slotTag, 7, to: tag == 9 ? 10 : 9)
        let findings = try surgeon.findings(.quick)
        #expect(findings.map(\.message).first == "Slot 7: the slot has an invalid tag")
        #expect(findings.count == 2)
        #expect(findings.last?.message.hasSuffix("no slot refers to this URL") == true)
        let url = try #require(findings.last?.url)
        #expect(try surgeon.archive.entry(for: url) == nil)
    }

    @Test func slotsThatLeadAstray() throws {
        var surgeon = try pages(50)
        let entry = try surgeon.value(.slotEntry, 3)
        try surgeon.set(.slotEntry, 3, to: (entry + 1) % 50)
        let found = try messages(surgeon)
        #expect(
            found.contains {
                $0 == "Slot 3: the slot is in the wrong bucket" || $0 == "Slot 3: the slot has an invalid tag"
            })
        #expect(found.contains { $0.hasSuffix("no slot refers to this URL") })
        try surgeon.set(.slotEntry, 3, to: 60)
        #expect(try messages(surgeon).contains("Slot 3: the slot refers to missing entry 60"))
    }

    /// Every slot is one place further on: the tags fit, and the buckets do not.
    @Test func slotsInWrongBuckets() throws {
        var surgeon = try pages(50)
        let first = try #require(try (1..<32).first { try surgeon.value(.bucketFirst, $0) > 0 })
        try surgeon.set(.bucketFirst, first, to: 0)
        let moved = try #require(try surgeon.findings(.quick).first)
        #expect(moved.message.hasSuffix("the slot is in the wrong bucket"))
    }

    @Test func slotToALaterCapture() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            try SampleArchive.page("https://site.example/", nil, writer)
            for time in 1...3 { try SampleArchive.page("https://site.example/2", nil, writer, time: Int64(time)) }
        }
        let slot = try surgeon.value(.slotEntry, 0) == 1 ? 0 : 1
        try surgeon.set(.slotEntry, slot, to: 2)
        let found = try messages(surgeon)
        #expect(found.first == "Slot \(slot): the slot refers to entry 2, which is not the first with its URL")
    }

    @Test func missingSlot() throws {
        var surgeon = try pages(3)
        try surgeon.changeClasses { $0[.slot]?.rowCount = 2 }
        let found = try messages(surgeon)
        #expect(
            found.contains { $0.hasSuffix("no slot refers to this URL") } || found.contains { $0.hasPrefix("Bucket") })
    }

    @Test func twoSlotsForOneKey() throws {
        // A bucket of two slots with one tag is made by putting the same slot twice.
        var surgeon = try pages(200)
        let archive = try surgeon.archive
        let commit = archive.index.commits[0]
        let bucket = try #require(
            try (0..<commit.rowCount(.bucket) - 1).first {
                try commit.integer(.bucketFirst, $0 + 1) - commit.integer(.bucketFirst, $0) >= 2
            })
        let first = Int(try commit.integer(.bucketFirst, bucket))
        try surgeon.set(.slotEntry, first + 1, to: commit.integer(.slotEntry, first))
        try surgeon.set(.slotTag, first + 1, to: commit.integer(.slotTag, first))
        let found = try messages(surgeon)
        #expect(found.contains { $0.hasSuffix("several slots refer to this URL") })
        #expect(found.contains { $0.hasSuffix("no slot refers to this URL") })
    }

    @Test func buckets() throws {
        var surgeon = try pages(50)
        try surgeon.set(.bucketFirst, 5, to: 50)
        #expect(try messages(surgeon) == ["Bucket 6: the buckets overlap"])
        try surgeon.set(.bucketFirst, 5, to: try surgeon.value(.bucketFirst, 4))
        #expect(
            try messages(surgeon).contains { $0.hasSuffix("the slot is in the wrong bucket") }
                || (try messages(surgeon)) == [])
        surgeon = try pages(50)
        try surgeon.change(.bucketFirst) { $0.base = 1 }
        #expect(try messages(surgeon).first == "Bucket 0: the first bucket does not start at slot 0")
        surgeon = try pages(50)
        try surgeon.changeClasses { $0[.bucket]?.rowCount -= 1 }
        #expect(try messages(surgeon) == ["the number of buckets, 31, is not a power of 2"])
        surgeon = try pages(50)
        try surgeon.changeClasses { $0[.bucket]?.rowCount = 0 }
        #expect(try messages(surgeon) == ["the number of buckets, 0, is not a power of 2"])
    }
}
