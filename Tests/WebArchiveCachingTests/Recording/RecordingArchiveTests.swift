// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCaching

@Suite struct RecordingArchiveTests {
    let bench = try! RecordingBench()  // A test without a folder has nothing to say.

    @Test func aRecordedResponseIsServedBeforeTheCommitAfterItAndAfterReopening() throws {
        let archive = try bench.open()
        try archive.record("http://h/a?q=1", [1, 2], headers: ["Content-Type": "text/plain"])
        #expect(archive.reader == nil)
        #expect(try archive.body("http://h/a?q=1") == [1, 2])
        #expect(try archive.body("http://h/a") == nil)
        try archive.commit()
        #expect(archive.pendingCount == 0)
        let stored = try #require(try archive.lookup(MatchRequest(url: CanonicalURL("http://h/a?q=1"))))
        #expect(stored.response.headers["content-type"] == "text/plain")
        #expect(stored.time == bench.time)
        guard case .archived? = stored.body else { throw ArchiveError(.notFound, "the body is not in the archive") }
        let again = try bench.open()
        #expect(try again.body("http://h/a?q=1") == [1, 2])
        #expect(try bench.findings().isEmpty)
    }

    @Test func methodRequestBodyAndVaryTellRequestsApartWaitingOrStored() throws {
        let archive = try bench.open()
        try archive.record("http://h/", [1])
        try archive.record("http://h/", [2], method: "POST", requestBody: [7])
        try archive.record("http://h/", [3], method: "POST", requestBody: [8])
        try archive.record("http://h/v", [4], sent: ["Accept-Language": "de"], headers: ["Vary": "Accept-Language"])
        try archive.record("http://h/v", [5], sent: ["Accept-Language": "en"], headers: ["Vary": "Accept-Language"])
        for _ in 0..<2 {
            #expect(try archive.body("http://h/") == [1])
            #expect(try archive.body("http://h/", method: "POST", requestBody: [7]) == [2])
            #expect(try archive.body("http://h/", method: "POST", requestBody: [8]) == [3])
            #expect(try archive.body("http://h/", method: "POST") == nil)
            #expect(try archive.body("http://h/", method: "PUT", requestBody: [8]) == nil)
            #expect(try archive.body("http://h/v", sent: ["accept-language": "de"]) == [4])
            #expect(try archive.body("http://h/v", sent: ["accept-language": "en"]) == [5])
            #expect(try archive.body("http://h/v") == nil)
            try archive.commit()
        }
    }

    @Test func aNewerCaptureWinsWhetherTheOlderOneWaitsOrIsStored() throws {
        let archive = try bench.open()
        try archive.record("http://h/", [1])
        try archive.record("http://h/", [2])
        #expect(archive.pendingCount == 1, "the one that nothing can ask for is not written")
        #expect(try archive.body("http://h/") == [2])
        try archive.commit()
        bench.now += 1
        try archive.record("http://h/", [3])
        #expect(try archive.body("http://h/") == [3])
        try archive.commit()
        #expect(try archive.body("http://h/") == [3])
        try archive.record("http://h/", [4], time: ArchiveTime(seconds: 5))
        #expect(try archive.body("http://h/") == [3], "a response that came before another does not replace it")
    }

    @Test func aClockThatWasSetBackDoesNotHideWhatComesNext() throws {
        let archive = try bench.open()
        try archive.record("http://h/", [1])
        try archive.commit()
        bench.now -= 5000
        try archive.record("http://h/", [2])
        #expect(try archive.body("http://h/") == [2])
        try archive.commit()
        #expect(try archive.body("http://h/") == [2])
        archive.remove(try CanonicalURL("http://h/"))
        #expect(try archive.body("http://h/") == nil)
        try archive.commit()
        #expect(try archive.body("http://h/") == nil)
    }

    @Test func aRedirectIsARecordOfItsOwnWithItsTarget() throws {
        let archive = try bench.open()
        try archive.record("http://h/a/b", [], headers: ["Location": "../c?d"], status: 302)
        for _ in 0..<2 {
            let stored = try #require(try archive.lookup(MatchRequest(url: CanonicalURL("http://h/a/b"))))
            #expect(stored.response.redirectTarget == "http://h/c?d")
            #expect(stored.response.status == 302)
            try archive.commit()
        }
    }

    @Test func headIsAnsweredFromGETByDefaultWaitingOrStored() throws {
        let (archive, exact) = (try bench.open(), try bench.open { $0.matching = .exactOnly })
        for archive in [archive, exact] { try archive.record("http://h/", [1]) }
        for _ in 0..<2 {
            #expect(try archive.body("http://h/", method: "HEAD") == [1])
            #expect(try archive.body("http://h/", method: "POST") == nil)
            #expect(try archive.body("https://h/", method: "HEAD") == nil)
            #expect(try exact.body("http://h/", method: "HEAD") == nil)
            for archive in [archive, exact] { try archive.commit() }
        }
        archive.remove(try CanonicalURL("http://h/"))
        #expect(try archive.body("http://h/", method: "HEAD") == nil)
    }

    @Test func headIsAnsweredFromGETAndByOtherRulesWhereTheOptionsSaySo() throws {
        let archive = try bench.open { $0.matching = ArchiveMatcher.Options(rules: [.headFromGet, .otherScheme]) }
        try archive.record("http://h/", [1])
        #expect(try archive.body("http://h/", method: "HEAD") == [1])
        #expect(try archive.body("https://h/") == nil, "by other rules only what is committed answers")
        try archive.commit()
        #expect(try archive.body("https://h/") == [1])
        bench.now += 1
        try archive.record("http://h/", [2])
        #expect(try archive.body("https://h/") == [2], "and then its newest capture")
        archive.remove(try CanonicalURL("http://h/"))
        #expect(try archive.body("https://h/") == nil)
    }

    @Test func exchangesThatCannotBeStoredAreCountedAndReportedAndTheRestIsKept() throws {
        let archive = try bench.open()
        try archive.record("no url")
        try archive.record("http://h/", status: 7)
        #expect(archive.droppedCount == 2)
        let many = HeaderFields((0..<5000).map { HeaderField(name: "A", value: "\($0)") })
        try archive.record("http://h/many", headers: many)
        try archive.record("http://h/good")
        try archive.commit()
        #expect(archive.droppedCount == 3)
        #expect(try archive.body("http://h/good") == [1])
        #expect(bench.failures.withLock { $0 } == [.invalidArgument, .invalidArgument, .limitExceeded])
    }

    @Test func aFileThatIsNotAnArchiveOrADamagedOneIsNotOpenedATornTailIs() throws {
        try bench.folder.write("a.webarc", Array("hello, this is not an archive".utf8))
        #expect(failure { _ = try bench.open() }?.code == .notAnArchive)
        try bench.folder.write("a.webarc", [])
        #expect(failure { _ = try bench.open() } != nil)
        let other = try RecordingBench()
        let archive = try other.open()
        try archive.record("http://h/1")
        try archive.commit()
        try archive.record("http://h/2")
        try archive.close()
        let whole = try other.folder.read("a.webarc")
        try other.folder.write("a.webarc", whole.dropLast(10))
        let torn = try other.open()
        #expect(try torn.body("http://h/1") == [1])
        #expect(try torn.body("http://h/2") == nil)
        try other.folder.write("a.webarc", whole.dropLast(whole.count - 100))
        #expect(failure { _ = try other.open() }?.code == .truncated)
    }

    @Test func releasingAnArchiveCommitsIt() throws {
        do {
            let archive = try bench.open()
            try archive.record("http://h/")
        }
        #expect(try bench.open().body("http://h/") == [1])
    }

    @Test func aClosedArchiveRespondsAndRecordsNoMore() throws {
        let archive = try bench.open()
        try archive.record("http://h/1")
        try archive.close()
        #expect(archive.pendingCount == 0)
        try archive.record("http://h/2")
        #expect(archive.pendingCount == 0)
        #expect(try archive.body("http://h/1") == [1])
    }
}
