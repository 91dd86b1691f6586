// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCaching

/// The kept entries, the removed ones, and the length of the file.
@Suite struct RetentionTests {
    let bench = try! RecordingBench()  // A test without a folder has nothing to say.

    private func bodies(_ archive: RecordingArchive, _ count: Int) throws -> [Int] {
        try (0..<count).filter { try archive.body("http://h/\($0)") != nil }
    }

    /// Records, commits and does what is to be done in the background.
    private func fill(_ archive: RecordingArchive, _ numbers: Range<Int>, length: Int = 10) throws {
        var random = SeededGenerator(seed: UInt64(numbers.lowerBound))
        for number in numbers {
            bench.now += 1
            try archive.record("http://h/\(number)", random.bytes(length))
        }
        try archive.commit()
        archive.drain()
    }

    @Test func theLeastRecentlyUsedResponseIsRemovedFirst() throws {
        let archive = try bench.open { $0.capacity.entries = 3 }
        try fill(archive, 0..<3)
        bench.now += 1
        #expect(try archive.body("http://h/0") != nil)
        try fill(archive, 3..<4)
        #expect(archive.pendingCount == 0)
        let expected = [0, 2, 3]
        for (number, isKept) in [(1, false), (0, true), (2, true), (3, true)] {
            let found = try archive.body("http://h/\(number)") != nil
            #expect(found == isKept, "\(number)")
        }
        try archive.compact()
        #expect(archive.reader?.entryCount == 3)
        #expect(try bodies(archive, 4) == expected)
        #expect(try bench.findings().isEmpty)
    }

    @Test func anOlderCaptureDoesNotComeBackWhenANewerOneGoes() throws {
        let archive = try bench.open { $0.capacity.entries = 2 }
        try archive.record("http://h/0", [1])
        try archive.commit()
        bench.now += 1
        try archive.record("http://h/0", [2])
        try archive.commit()
        try fill(archive, 1..<3)
        #expect(try bodies(archive, 3) == [1, 2])
    }

    @Test func aRequestedVariantStaysEvenWithANewerOne() throws {
        let archive = try bench.open { $0.capacity.entries = 3 }
        for (number, language) in ["de", "en"].enumerated() {
            bench.now += 1
            try archive.record(
                "http://h/v", [UInt8(number)], sent: ["Accept-Language": language],
                headers: ["Vary": "Accept-Language"])
        }
        try fill(archive, 0..<1)
        bench.now += 1
        #expect(try archive.body("http://h/v", sent: ["Accept-Language": "de"]) == [0])
        try fill(archive, 1..<2)
        #expect(try archive.body("http://h/v", sent: ["Accept-Language": "de"]) == [0])
        #expect(try bodies(archive, 2) == [1])
    }

    @Test func historyDoesNotCountAsUsedAndIsRemovedBeforeUsedResponses() throws {
        let archive = try bench.open {
            $0.capacity.entries = 3
            $0.keepsHistory = true
        }
        try fill(archive, 0..<1)
        try fill(archive, 0..<1)
        try fill(archive, 1..<2)
        bench.now += 1
        #expect(try archive.body("http://h/0") != nil)
        try fill(archive, 2..<3)
        #expect(try bodies(archive, 3) == [0, 1, 2])
    }

    @Test(arguments: [false, true])
    func lastUsesSurviveARestartWithoutTheirFileTheTimeOfTheCaptureCounts(isLost: Bool) throws {
        let bench = try RecordingBench()
        let archive = try bench.open { $0.capacity.entries = 3 }
        for number in 0..<3 {
            bench.now += 1
            try archive.record("http://h/\(number)")
        }
        try archive.commit()
        bench.now += 1
        _ = try archive.body("http://h/0")
        try archive.close()
        let uses = bench.path.string + ".uses"
        #expect(FileManager.default.fileExists(atPath: uses))
        if isLost { try FileManager.default.removeItem(atPath: uses) }
        bench.now += 1
        let again = try bench.open { $0.capacity.entries = 2 }
        again.drain()
        #expect(try bodies(again, 3) == (isLost ? [1, 2] : [0, 2]))
    }

    @Test func theFileIsKeptUnderItsCapacity() throws {
        let limit: UInt64 = 400_000
        let archive = try bench.open { $0.capacity.bytes = limit }
        for round in 0..<30 {
            try fill(archive, round * 3..<round * 3 + 3, length: 20_000)
            #expect(try bench.fileLength <= limit)
        }
        // More than half of the capacity is in use, by the newest entries.
        let found = try bodies(archive, 90)
        #expect(found.count * 20_000 > Int(limit) / 2)
        #expect(found == Array(90 - found.count..<90))
        #expect(try bench.findings().isEmpty)
    }

    @Test func unusedEntriesExpireWithoutARequest() throws {
        let archive = try bench.open { $0.expiry = .seconds(1000) }
        try fill(archive, 0..<3, length: 100_000)
        let length = try bench.fileLength
        bench.now += 600
        _ = try archive.body("http://h/1")
        bench.now += 600
        bench.runDelayed()
        archive.drain()
        #expect(archive.reader?.entryCount == 1, "the file was compacted, as most of it was waste")
        #expect(try bench.fileLength < length / 2)
        #expect(try bodies(archive, 3) == [1])
        #expect(archive.reader?.bodyCount == 1)
    }

    @Test func replacedCapturesGoWhenTheyAreMostOfTheFile() throws {
        let archive = try bench.open()
        var random = SeededGenerator(seed: 9)
        var longest: UInt64 = 0
        for _ in 0..<20 {
            bench.now += 1
            try archive.record("http://h/", random.bytes(100_000))
            try archive.commit()
            archive.drain()
            longest = try max(longest, bench.fileLength)
        }
        #expect(longest < 500_000)
        #expect(try archive.body("http://h/")?.count == 100_000)
    }

    @Test func historyStaysWithTheOptionForIt() throws {
        let archive = try bench.open { $0.keepsHistory = true }
        for number in 0..<5 {
            bench.now += 1
            try archive.record("http://h/", [UInt8(number)])
            try archive.commit()
        }
        try archive.compact()
        #expect(archive.reader?.entryCount == 5)
        #expect(archive.reader?.commitCount == 1)
        #expect(try archive.body("http://h/") == [4])
    }

    @Test func variantsOfOneURLStaySideBySideAndOnlyTheSameOneIsReplaced() throws {
        let archive = try bench.open()
        for (number, language) in ["de", "en", "de"].enumerated() {
            bench.now += 1
            try archive.record(
                "http://h/", [UInt8(number)],
                sent: HeaderFields([HeaderField(name: "Accept-Language", value: language)]),
                headers: ["Vary": "Accept-Language"])
            try archive.commit()
        }
        try archive.compact()
        #expect(archive.reader?.entryCount == 2)
        #expect(try archive.body("http://h/", sent: ["Accept-Language": "de"]) == [2])
        #expect(try archive.body("http://h/", sent: ["Accept-Language": "en"]) == [1])
    }

    /// 2,000 commits in full, more than a file can have without being compacted.
    @Test func lookupsSearchABoundedNumberOfCommits() throws {
        let archive = try bench.open()
        let count = testEffort > 1 ? 2_000 : 300
        for number in 0..<count {
            bench.now += 1
            try archive.record("http://h/\(number % 100)", [UInt8(number % 251)])
            try archive.commit()
            if number % 20 == 0 { archive.drain() }
        }
        archive.drain()
        let reader = try #require(archive.reader)
        #expect(reader.commitCount < 60)
        #expect(reader.entryCount < 200)
        for number in 0..<100 {
            #expect(try archive.body("http://h/\(number)") == [UInt8((count - 100 + number) % 251)])
        }
        #expect(try bench.findings().isEmpty)
    }

    @Test(.enabled(if: testEffort > 1, "minutes pass until a file has as many commits as it can have"))
    func anArchiveThatOthersHaveFilledWithCommitsIsCompactedAndWrittenTo() throws {
        for number in 0..<1024 {
            let writer = try number == 0 ? ArchiveWriter(creating: bench.path) : ArchiveWriter(appendingTo: bench.path)
            try writer.add(ArchiveRequest(url: "http://h/\(number)"), response: ArchiveResponse())
            try writer.commit()
        }
        let archive = try bench.open { $0.maximumCommitCount = 5_000 }
        archive.drain()
        try archive.record("http://h/new")
        try archive.commit()
        #expect(archive.reader?.commitCount == 2)
        #expect(archive.reader?.entryCount == 1025)
    }

    @Test func aDamagedRecordIsAnErrorOrAMissCompactionRemovesItAndRecordingItAgainHealsIt()
        throws
    {
        let archive = try bench.open()
        var random = SeededGenerator(seed: 10)
        let (good, bad) = (random.bytes(50_000), random.bytes(50_000))
        try archive.record("http://h/good", good)
        try archive.record("http://h/bad", bad)
        try archive.record("http://h/worse", random.bytes(1_000))
        try archive.close()
        var bytes = try bench.folder.read("a.webarc")
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: bad[..<100]) })
        bytes[place + 7] ^= 1
        try bench.folder.write("a.webarc", bytes)
        let again = try bench.open()
        #expect(failure { _ = try again.body("http://h/bad") }?.code == .damaged)
        #expect(try again.body("http://h/good") == good)
        bench.now += 1
        try again.record("http://h/bad", bad)
        try again.commit()
        #expect(try again.body("http://h/bad") == bad)
        try bench.folder.write("a.webarc", bytes)
        let third = try bench.open()
        try third.compact()
        #expect(try third.body("http://h/bad") == nil)
        #expect(try third.body("http://h/good") == good)
        #expect(third.reader?.entryCount == 2)
        #expect(try bench.findings().isEmpty)
    }

    @Test func entriesForUnpackingOnlyStayAndSoDoesMetadata() throws {
        let writer = try ArchiveWriter(creating: bench.path)
        try writer.setMetadata("title", to: "A title")
        try writer.add(
            ArchiveRequest(url: "http://h/_headers"), response: ArchiveResponse(), body: writer.addBody([1]),
            role: .unpackOnly)
        try writer.commit()
        let archive = try bench.open { $0.capacity.entries = 1 }
        try fill(archive, 0..<3)
        try archive.compact()
        let reader = try #require(archive.reader)
        #expect(try reader.metadata() == ["title": "A title"])
        #expect(try reader.entries().map { try $0.key }.contains("http://h/_headers"))
    }
}
