// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCaching

@Suite struct CommittingTests {
    let bench = try! RecordingBench()  // A test without a folder has nothing to say.

    @Test func theFirstRecordStartsATimerTheOthersWaitWithIt() throws {
        let archive = try bench.open { $0.commitInterval = .seconds(7) }
        try archive.record("http://h/1")
        try archive.record("http://h/2")
        #expect(bench.delays.withLock { $0 } == [.seconds(7)])
        bench.runDelayed()
        #expect(archive.pendingCount == 0)
        #expect(archive.reader?.commitCount == 1)
        try archive.record("http://h/3")
        #expect(bench.delayedCount == 1)
        bench.runDelayed()
        #expect(archive.reader?.commitCount == 2)
    }

    @Test func theDefaultTimerCommitsByItself() throws {
        let path = bench.path
        var options = RecordingArchive.Options()
        options.commitInterval = .milliseconds(1)
        let archive = try RecordingArchive(path: path, options: options)
        try archive.record("http://h/1")
        #expect(try BackgroundThread { waits { archive.pendingCount == 0 } }.value())
        #expect(try archive.body("http://h/1") == [1])
        #expect(archive.reader != nil)
    }

    @Test func aLargeBacklogCommitsImmediately() throws {
        let archive = try bench.open { $0.maximumPendingLength = 1000 }
        try archive.record("http://h/1", [UInt8](repeating: 1, count: 600))
        archive.drain()
        #expect(archive.pendingCount == 1)
        try archive.record("http://h/2", [UInt8](repeating: 2, count: 600))
        archive.drain()
        #expect(archive.pendingCount == 0)
    }

    @Test func manyFilesThatAreOpenAreClosedByACommit() throws {
        let archive = try bench.open()
        for number in 0..<40 {
            try archive.record("http://h/\(number)", [UInt8](repeating: UInt8(number), count: 300_000))
        }
        archive.drain()
        #expect(archive.pendingCount < 40)
    }

    @Test func commitsFromATask() async throws {
        let archive = try bench.open()
        try archive.record("http://h/1")
        try await archive.commit()
        #expect(archive.pendingCount == 0)
        try archive.record("http://h/1", [2])
        try await archive.compact()
        #expect(archive.reader?.entryCount == 1)
    }

    @Test func anArchiveThatIsLockedIsTriedAgainAndWhatWaitsIsServedMeanwhile() throws {
        let archive = try bench.open()
        try archive.record("http://h/1")
        try archive.commit()
        let other = try ArchiveWriter(appendingTo: bench.path)
        try archive.record("http://h/2", [2])
        #expect(failure { try archive.commit() }?.code == .locked)
        bench.runDelayed()
        bench.runDelayed()
        #expect(bench.failures.withLock { $0 } == [.locked, .locked])
        #expect(archive.pendingCount == 1)
        #expect(try archive.body("http://h/2") == [2])
        let delays = bench.delays.withLock { $0 }
        #expect(delays[delays.count - 1] > delays[delays.count - 2], "later each time")
        try other.add(ArchiveRequest(url: "http://h/other"), response: ArchiveResponse(), body: other.addBody([9]))
        try other.commit()
        bench.runDelayed()
        #expect(archive.pendingCount == 0)
        #expect(try archive.body("http://h/2") == [2])
        #expect(try archive.body("http://h/other") == [9], "what the other one wrote is seen as well")
        #expect(archive.droppedCount == 0)
    }

    @Test func aFailureHandlerMayCommit() throws {
        let archive = try bench.open { $0.capacity.entries = 100 }
        let told = Mutex<[ArchiveError.Code]>([])
        archive.onFailure = { [weak archive] error in
            told.withLock { $0.append(error.code) }
            let error = archive.flatMap { archive in failure { try archive.commit() } }
            #expect(error == nil)
        }
        let many = HeaderFields((0..<5000).map { HeaderField(name: "A", value: "\($0)") })
        try archive.record("http://h/many", headers: many)
        try archive.record("http://h/good")
        // The times of last uses cannot be written where there is a folder of that name.
        let uses = bench.path.string + ".uses"
        try FileManager.default.createDirectory(atPath: uses, withIntermediateDirectories: false)
        // The uses are written in the background after the commit: held back until the commit's own failure was looked at.
        archive.queue.suspend()
        do {
            defer { archive.queue.resume() }
            try archive.commit()
            #expect(told.withLock { $0 } == [.limitExceeded])
        }
        archive.drain()
        #expect(told.withLock { $0 } == [.limitExceeded, .io])
        #expect(try archive.body("http://h/good") == [1])
    }

    @Test func aRecordAfterTheEndIsCountedAndReportedOnce() throws {
        let archive = try bench.open()
        try archive.record("http://h/1")
        try archive.close()
        try archive.record("http://h/2")
        try archive.record("http://h/3")
        archive.remove(try CanonicalURL("http://h/1"))
        #expect(archive.droppedCount == 2)
        #expect(archive.pendingCount == 0)
        #expect(bench.failures.withLock { $0 } == [.invalidArgument])
        #expect(try archive.body("http://h/1") == [1])
        #expect(try archive.body("http://h/2") == nil)
    }

    @Test func anEndThatFailsCanBeTriedAgain() throws {
        let archive = try bench.open()
        try archive.record("http://h/1")
        let other = try ArchiveWriter(creating: bench.path)
        for _ in 0..<2 {
            #expect(failure { try archive.close() }?.code == .locked)
            #expect(archive.pendingCount == 1)
            #expect(try archive.body("http://h/1") == [1])
        }
        other.cancel()
        try archive.close()
        #expect(archive.pendingCount == 0)
        #expect(archive.droppedCount == 0)
        #expect(try bench.open().body("http://h/1") == [1])
    }

    @Test func theBacklogOfFailingCommitsIsBoundedAndDropsTheOldest() throws {
        let archive = try bench.open { $0.maximumPendingLength = 1000 }
        let other = try ArchiveWriter(creating: bench.path)
        for number in 0..<100 {
            try archive.record("http://h/\(number)", [UInt8](repeating: UInt8(number), count: 100))
        }
        archive.drain()
        #expect(archive.droppedCount > 0)
        #expect(archive.pendingCount + archive.droppedCount == 100)
        #expect(archive.pendingCount * 100 <= 4000)
        #expect(try archive.body("http://h/0") == nil)
        #expect(try archive.body("http://h/99") == [UInt8](repeating: 99, count: 100))
        other.cancel()
        bench.runDelayed()
        #expect(archive.pendingCount == 0)
    }

    @Test func anOversizedBodyEvictsNothing() throws {
        let archive = try bench.open { $0.maximumPendingLength = 1000 }
        for number in 0..<9 { try archive.record("http://h/\(number)", [UInt8](repeating: 1, count: 100)) }
        try archive.record("http://h/long", [UInt8](repeating: 2, count: 100_000))
        try archive.record("http://h/9", [3])
        try archive.commit()
        #expect(archive.droppedCount == 0)
        #expect(archive.reader?.entryCount == 11)
    }

    @Test func anArchiveThatAnotherProcessCreatesMeanwhileIsNotReplaced() throws {
        let (first, second) = (try bench.open(), try bench.open())
        try first.record("http://h/1")
        try second.record("http://h/2")
        try first.commit()
        try second.commit()
        #expect(try second.body("http://h/1") == [1])
        #expect(try bench.open().reader?.entryCount == 2)
    }

    @Test func readBodiesStayValidThroughCommitsAndCompactions() throws {
        let archive = try bench.open()
        var random = SeededGenerator(seed: 4)
        let bytes = random.bytes(1_000_000)
        try archive.record("http://h/", bytes)
        let waiting = try #require(try archive.lookup(MatchRequest(url: CanonicalURL("http://h/")))?.body)
        try archive.commit()
        let stored = try #require(try archive.lookup(MatchRequest(url: CanonicalURL("http://h/")))?.body)
        bench.now += 1
        try archive.record("http://h/", [1])
        try archive.compact()
        #expect(try waiting.bytes() == bytes)
        #expect(try stored.bytes() == bytes)
        #expect(try archive.body("http://h/") == [1])
    }

    @Test func recordsAndLookupsFromManyThreads() throws {
        let archive = try bench.open { options in
            options.maximumPendingLength = 1 << 20
            options.capacity.entries = 150
            options.delay = .dispatch
            options.commitInterval = .milliseconds(2)
        }
        let count = 200 * testEffort
        let threads = (0..<4).map { thread in
            BackgroundThread {
                var random = SeededGenerator(seed: UInt64(thread))
                for number in 0..<count {
                    let url = "http://h/\(thread)/\(number % 50)"
                    try archive.record(url, Array("\(thread) \(number) ".utf8) + random.bytes(500))
                    let body = try archive.body(url)
                    // Removed for want of room, or the one that was just recorded: only this thread records it.
                    if let body, !body.starts(with: Array("\(thread) \(number) ".utf8)) {
                        throw ArchiveError(.changed, "another body")
                    }
                    let other = Int.random(in: 0..<4, using: &random)
                    _ = try archive.body("http://h/\(other)/\(number % 50)")
                    if number % 40 == 0 { try archive.commit() }
                    if number % 90 == 0 { archive.remove(try CanonicalURL("http://h/\(thread)/\(number % 50)")) }
                }
            }
        }
        for thread in threads { try thread.value() }
        try archive.close()
        archive.drain()
        #expect(bench.failures.withLock { $0 } == [])
        #expect(try bench.findings().isEmpty)
        #expect(archive.droppedCount == 0)
    }
}
