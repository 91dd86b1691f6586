// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Entries by key: specification sections 8.2 to 8.5.
@Suite struct KeySearchTests {
    private func commit(_ bytes: [UInt8]) throws -> CommitIndex { try ArchiveReader(bytes: bytes).index.commits[0] }

    private func first(_ key: String, _ commit: CommitIndex) throws -> Int? {
        try Array(key.utf8).withBytes { (key) throws(ArchiveError) in try commit.firstEntry(key) }
    }

    private func lowerBound(_ key: String, _ commit: CommitIndex) throws -> Int {
        try Array(key.utf8).withBytes { (key) throws(ArchiveError) in try commit.lowerBound(key) }
    }

    /// Sorted keys, some of them several times, so that they cross the borders of key blocks.
    private static func keys(_ random: inout SeededGenerator, _ count: Int) -> [String] {
        (0..<count).map { _ in
            "http://h\(Int.random(in: 0..<3, using: &random))/\(Int.random(in: 0..<count, using: &random))"
        }
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    @Test(arguments: [1, 2, 15, 16, 17, 33, 300]) func sameAsAPlainSearch(count: Int) throws {
        var random = SeededGenerator.printed()
        let folder = try TemporaryFolder()
        let keys = Self.keys(&random, count)
        try folder.archive(keys.shuffled(using: &random).map { Exchange($0) })
        let bytes = try folder.read("a.webarc")
        // As it is, and with the hash table taken away: then the sorted keys have to do.
        var surgeon = RowSurgeon(bytes)
        surgeon.rename("Bucket", to: "Backet")
        for bytes in [bytes, surgeon.bytes] {
            let commit = try commit(bytes)
            for (row, key) in keys.enumerated() {
                #expect(String(decoding: try commit.key(row), as: UTF8.self) == key)
                #expect(try first(key, commit) == keys.firstIndex(of: key), "seed \(random.seed)")
            }
            for text in keys.flatMap({ [$0 + "x", String($0.dropLast()), $0 + "/"] }) + ["", "a", "z", "http://h1/"] {
                let expected = keys.firstIndex { !$0.utf8.lexicographicallyPrecedes(text.utf8) } ?? keys.count
                #expect(try lowerBound(text, commit) == expected, "seed \(random.seed)")
                #expect(try first(text, commit) == keys.firstIndex(of: text))
            }
        }
        #expect(try commit(surgeon.bytes).rowCount(.bucket) == 0)
    }

    /// All slots in one bucket, as someone who wants to slow a reader down would have it: the sorted keys are searched then.
    @Test(arguments: [64, 65, 300]) func crowdedBuckets(count: Int) throws {
        let folder = try TemporaryFolder()
        let keys = (1000..<1000 + count).map { "http://a/\($0)" }
        try folder.archive(keys.map { Exchange($0) })
        var surgeon = RowSurgeon(try folder.read("a.webarc"))
        // Every bucket but the last one is empty.
        surgeon.set("Bucket", "first", to: 0)
        let commit = try commit(surgeon.bytes)
        for (row, key) in keys.enumerated() {
            let last = UInt32(commit.rowCount(.bucket) - 1)
            guard Checksum.of(Array(key.utf8)) & last == last else { continue }
            #expect(try first(key, commit) == row)
        }
        // One bucket for all: what is not there is not found either.
        #expect(try first("http://a/", commit) == nil)
        #expect(commit.rowCount(.bucket) > 1)
    }

    /// In a crowded bucket no slot is looked at: here no slot says anything that is true, and yet keys are found.
    @Test(arguments: [64, 65]) func slotsOfACrowdedBucket(count: Int) throws {
        let folder = try TemporaryFolder()
        let keys = (1000..<1000 + count).map { "http://a/\($0)" }
        try folder.archive(keys.map { Exchange($0) })
        var surgeon = RowSurgeon(try folder.read("a.webarc"))
        surgeon.set("Bucket", "first", to: 0)
        surgeon.set("Slot", "tag", to: -1)
        let commit = try commit(surgeon.bytes)
        let last = UInt32(commit.rowCount(.bucket) - 1)
        for (row, key) in keys.enumerated() where Checksum.of(Array(key.utf8)) & last == last {
            #expect(try first(key, commit) == (count > FormatLimits.maximumBucketScan ? row : nil))
        }
    }

    @Test func damagedTables() throws {
        let folder = try TemporaryFolder()
        let keys = (0..<100).map { "http://a/\($0)" }
        try folder.archive(keys.map { Exchange($0) })
        let bytes = try folder.read("a.webarc")
        for (owner, name, value) in [
            ("Slot", "entry", 100), ("Slot", "entry", -1), ("Bucket", "first", 101), ("Bucket", "first", -1),
        ] as [(String, String, Int64)] {
            var surgeon = RowSurgeon(bytes)
            surgeon.set(owner, name, to: value)
            let commit = try commit(surgeon.bytes)
            let error = archiveError { for key in keys { _ = try first(key, commit) } }
            #expect(error?.code == .damaged && error?.offset != nil, "\(owner).\(name) \(value)")
        }
        // Buckets that go backwards.
        var surgeon = RowSurgeon(bytes)
        surgeon.setStored("Bucket", "first", row: 1, to: 100)
        let commit = try commit(surgeon.bytes)
        #expect(archiveError { for key in keys { _ = try first(key, commit) } }?.code == .damaged)
    }

    /// An error inside a key block has a place in the file.
    @Test func damagedKeyBlocks() throws {
        let folder = try TemporaryFolder()
        try folder.archive((0..<40).map { Exchange("http://a/\($0)") })
        var surgeon = RowSurgeon(try folder.read("a.webarc"))
        // The first byte of the key text says that the first key keeps something of a key before it.
        let start = try #require(surgeon.firstIndex(of: [0, 10] + Array("http://a/0".utf8), in: "INDX"))
        surgeon.replace(start, with: 1)
        let commit = try commit(surgeon.bytes)
        let error = archiveError { _ = try commit.key(0) }
        #expect(error?.code == .damaged)
        #expect(surgeon.section("INDX").contains(Int(error?.offset ?? 0)))
        // The next block is not concerned: the 17th of the numbers in the order of their digits.
        #expect(
            try String(decoding: commit.key(16), as: UTF8.self) == "http://a/\((0..<40).map(String.init).sorted()[16])")
    }
}
