// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCaching

@Suite struct UseTimesFileTests {
    let folder = try! TemporaryFolder()  // A test without a folder has nothing to say.
    var file: UseTimesFile { UseTimesFile(path: folder.path("a.uses")) }
    let now = ArchiveTime(seconds: 1_000_000)!

    private func key(_ url: String, _ method: String = "GET", _ digest: ContentDigest? = nil) throws -> RequestKey {
        RequestKey(url: try CanonicalURL(url), method: method, bodyDigest: digest)
    }

    @Test func timesComeBackAsTheyWereWritten() throws {
        let times = [
            try key("http://h/a"): ArchiveTime(nanoseconds: 5)!,
            try key("http://h/a?b=c%20d", "POST", ContentDigest(hashing: [1])): ArchiveTime(
                nanoseconds: 999_999_999_999)!,
        ]
        try file.write(times)
        #expect(file.read(now: now) == times)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.uses"])
    }

    @Test(arguments: [
        "", "\n\n", "x", "5", "5 GET", "5 GET -", "5 GET - ", "5 GET - h", "5 GET - HTTP://H/", "5 GET - http://h/ ",
        "0 GET - http://h/", "5.5 GET - http://h/", "99999999999999999999 GET - http://h/", "5  - http://h/",
        "5 G\u{7}T - http://h/", "5 GET x http://h/", "5 GET d41d http://h/", "5 GET - http://h/\r", "\u{0}",
        "5 GET - http://h/" + String(repeating: "a", count: 70_000), "5\tGET\t-\thttp://h/",
    ])
    func aLineThatIsWrongIsSkipped(_ line: String) throws {
        try folder.write("a.uses", Array((line + "\n7 GET - http://good/\n" + line).utf8))
        #expect(file.read(now: now) == [try key("http://good/"): ArchiveTime(nanoseconds: 7)!])
    }

    @Test func randomBytesDoNoHarm() throws {
        var random = SeededGenerator.printed()
        for _ in 0..<50 {
            try folder.write("a.uses", random.bytes(2_000))
            #expect(file.read(now: now).isEmpty)
        }
    }

    @Test func aTimeInTheFutureCountsAsNow() throws {
        try folder.write("a.uses", Array("9223372036854775807 GET - http://h/\n".utf8))
        #expect(file.read(now: now) == [try key("http://h/"): now])
    }

    @Test func aFolderOrPipeInPlaceOfTheFileIsIgnored() throws {
        #expect(file.read(now: now).isEmpty)
        #expect(mkfifo(file.path.string, 0o600) == 0)
        #expect(file.read(now: now).isEmpty)
        unlink(file.path.string)
        try FileManager.default.createDirectory(atPath: file.path.string, withIntermediateDirectories: true)
        #expect(file.read(now: now).isEmpty)
        #expect(failure { try file.write([:]) }?.code == .io)
    }

    @Test func methodsThatNoLineCanHoldAreLeftOut() throws {
        try file.write([try key("http://h/", "G ET\n"): now, try key("http://h/"): now])
        #expect(file.read(now: now) == [try key("http://h/"): now])
    }

    @Test func moreLinesThanTheMostAreNeitherReadNorWrittenAndTheLatestAreFirst() throws {
        var file = self.file
        file.maximumCount = 3
        try folder.write("a.uses", Array("\n7 GET - http://h/7\nx\n8 GET - http://h/8\n".utf8))
        #expect(file.read(now: now) == [try key("http://h/7"): ArchiveTime(nanoseconds: 7)!])
        var times: [RequestKey: ArchiveTime] = [:]
        for number in 1...5 { times[try key("http://h/\(number)")] = ArchiveTime(nanoseconds: Int64(number)) }
        try file.write(times)
        file.maximumCount = 5
        #expect(file.read(now: now) == times.filter { $0.value.nanoseconds > 2 })
        file.maximumLength = "5 GET - http://h/5\n4 GET - http://h/4".utf8.count
        #expect(file.read(now: now) == times.filter { $0.value.nanoseconds > 3 })
    }

    @Test func savingDropsTheTimesOfMissingResponsesEvenWithRoomForAll() throws {
        let bench = try RecordingBench()
        let archive = try bench.open { $0.capacity.entries = 100 }
        try archive.record("http://h/old")
        try archive.close()
        let lines = "5 GET - http://none/\n\(bench.time.nanoseconds) GET - http://h/old\n6 POST - http://h/old\n"
        try bench.folder.write("a.webarc.uses", Array(lines.utf8))
        bench.now += 1
        let again = try bench.open { $0.capacity.entries = 100 }
        try again.record("http://h/new")
        try again.commit()
        again.drain()
        let uses = UseTimesFile(path: FilePath(bench.path.string + ".uses")).read(now: bench.time)
        let old = ArchiveTime(seconds: bench.now - 1)!
        #expect(uses == [try key("http://h/old"): old, try key("http://h/new"): bench.time])
    }

    @Test func anArchiveOpensWithAnyContentOfTheFile() throws {
        let bench = try RecordingBench()
        let archive = try bench.open { $0.capacity.entries = 1 }
        for number in 0..<2 {
            bench.now += 1
            try archive.record("http://h/\(number)")
        }
        try archive.close()
        var random = SeededGenerator(seed: 3)
        let lines = "1 GET - http://h/1\n9223372036854775807 GET - http://none/\n"
        try bench.folder.write("a.webarc.uses", random.bytes(1_000) + Array("\n\(lines)".utf8))
        let again = try bench.open { $0.capacity.entries = 1 }
        again.drain()
        #expect(try again.body("http://h/0") == nil)
        #expect(try again.body("http://h/1") == [1], "an early time in the file does not go before the capture's own")
        try again.close()
        let text = try String(decoding: bench.folder.read("a.webarc.uses"), as: UTF8.self)
        #expect(!text.contains("none"), "what is not stored is forgotten")
        #expect(text.contains("http://h/1"))
    }
}
