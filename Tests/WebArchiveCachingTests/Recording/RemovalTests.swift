// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCaching

@Suite struct RemovalTests {
    let bench = try! RecordingBench()  // A test without a folder has nothing to say.

    private func fill(_ archive: RecordingArchive) throws {
        try archive.record("http://h/", [1])
        try archive.record("http://h/", [2], method: "POST", requestBody: [7])
        try archive.record("http://h/", [3], method: "POST", requestBody: [8])
        try archive.record("http://h/", [4], sent: ["A": "b"], headers: ["Vary": "A"])
        try archive.record("http://h/other", [5])
    }

    private func expectRemoved(_ archive: RecordingArchive) throws {
        #expect(try archive.body("http://h/") == nil)
        #expect(try archive.body("http://h/", sent: ["A": "b"]) == nil)
        #expect(try archive.body("http://h/", method: "POST", requestBody: [7]) == nil)
        #expect(try archive.body("http://h/", method: "POST", requestBody: [8]) == nil)
        #expect(try archive.body("http://h/other") == [5])
    }

    @Test(arguments: [false, true], [false, true])
    func aURLThatWasRemovedIsNotAnsweredWhateverTheRequest(isCommitted: Bool, keepsHistory: Bool) throws {
        let archive = try bench.open { $0.keepsHistory = keepsHistory }
        try fill(archive)
        if isCommitted { try archive.commit() }
        archive.remove(try CanonicalURL("http://h/"))
        try expectRemoved(archive)
        try archive.commit()
        try expectRemoved(archive)
        try expectRemoved(bench.open())
        try archive.compact()
        try expectRemoved(archive)
        #expect(try bench.findings().isEmpty)
        if !keepsHistory { #expect(archive.reader?.entryCount == 1, "nothing is left of it") }
        try archive.record("http://h/", [6])
        #expect(try archive.body("http://h/") == [6])
        try archive.commit()
        #expect(try bench.open().body("http://h/") == [6])
    }

    @Test func otherReadersMissItAsWell() throws {
        let archive = try bench.open()
        try fill(archive)
        try archive.commit()
        archive.remove(try CanonicalURL("http://h/"))
        try archive.commit()
        let reader = try ArchiveReader(path: bench.path)
        for (method, digest) in [
            ("GET", nil), ("POST", ContentDigest(hashing: [7])), ("POST", ContentDigest(hashing: [8])),
        ] {
            let request = MatchRequest(
                url: try CanonicalURL("http://h/"), method: method, headers: ["A": "b"], bodyDigest: digest)
            #expect(try ArchiveMatcher(reader, options: .exactOnly).match(request)?.entry.kind == nil)
        }
    }

    @Test func theRemovalOfAMissingURLWritesNothing() throws {
        let archive = try bench.open()
        archive.remove(try CanonicalURL("http://h/"))
        try archive.commit()
        try archive.record("http://h/1")
        try archive.commit()
        let length = try bench.fileLength
        archive.remove(try CanonicalURL("http://h/2"))
        try archive.commit()
        #expect(try bench.fileLength == length)
        archive.remove(try CanonicalURL("http://h/1"))
        try archive.commit()
        let entries = archive.reader?.entryCount
        archive.remove(try CanonicalURL("http://h/1"))
        try archive.commit()
        #expect(archive.reader?.entryCount == entries, "nor does a second one")
    }

    @Test func aResponseThatCameBeforeARemovalDoesNotUndoIt() throws {
        let archive = try bench.open()
        try archive.record("http://h/", [1])
        bench.now += 10
        archive.remove(try CanonicalURL("http://h/"))
        try archive.record("http://h/", [2], time: ArchiveTime(seconds: bench.now - 5))
        for _ in 0..<2 {
            #expect(try archive.body("http://h/") == nil)
            try archive.commit()
        }
    }

    @Test func aRemovalBetweenTwoFailedCommitsTakesWhatWaitedWithIt() throws {
        let archive = try bench.open { $0.keepsHistory = true }
        let other = try ArchiveWriter(creating: bench.path)
        try archive.record("http://h/", [1])
        #expect(failure { try archive.commit() }?.code == .locked)
        archive.remove(try CanonicalURL("http://h/"))
        other.cancel()
        try archive.commit()
        #expect(try archive.body("http://h/") == nil)
        #expect(try bench.open().body("http://h/") == nil)
    }

    @Test func aValidatedResponseHasNewFieldsAndTheSameBodyWhichIsNotStoredAgain() throws {
        let archive = try bench.open()
        var random = SeededGenerator(seed: 5)
        let bytes = random.bytes(500_000)
        try archive.record("http://h/", bytes, sent: ["A": "b"], headers: ["Vary": "A", "ETag": "1"])
        try archive.commit()
        let stored = try #require(
            try archive.lookup(MatchRequest(url: CanonicalURL("http://h/"), headers: ["A": "b"])))
        let length = try bench.fileLength
        bench.now += 100
        archive.refresh(stored, with: ArchiveResponse(headers: ["Vary": "A", "ETag": "2"]), time: bench.time)
        for _ in 0..<2 {
            let found = try #require(
                try archive.lookup(MatchRequest(url: CanonicalURL("http://h/"), headers: ["A": "b"])))
            #expect(found.response.headers["ETag"] == "2")
            #expect(found.time == bench.time)
            #expect(try found.body?.bytes() == bytes)
            try archive.commit()
        }
        #expect(archive.reader?.bodyCount == 1)
        #expect(try bench.fileLength < length + 10_000)
        try archive.compact()
        // The stored exchange lies in the file as it was before.
        bench.now += 1
        archive.refresh(stored, with: ArchiveResponse(headers: ["Vary": "A", "ETag": "3"]), time: bench.time)
        try archive.commit()
        #expect(archive.reader?.bodyCount == 1)
        #expect(try archive.body("http://h/", sent: ["A": "b"]) == bytes)
        #expect(try bench.findings().isEmpty)
    }

    @Test func aBodyWhoseResponseWasValidatedIsNotRead() throws {
        var random = SeededGenerator(seed: 6)
        let bytes = random.bytes(20_000)
        let archive = try bench.open()
        try archive.record("http://h/", bytes)
        try archive.commit()
        var file = try bench.folder.read("a.webarc")
        let place = try #require(file.indices.first { file[$0...].starts(with: bytes[..<100]) })
        file[place] ^= 1
        try bench.folder.write("a.webarc", file)
        let again = try bench.open()
        let stored = try #require(try again.lookup(MatchRequest(url: CanonicalURL("http://h/"))))
        bench.now += 1
        again.refresh(stored, with: ArchiveResponse(headers: ["ETag": "2"]), time: bench.time)
        try again.commit()
        #expect(again.droppedCount == 0)
        #expect(again.reader?.bodyCount == 1)
        #expect(again.reader?.entryCount == 2)
    }
}
