// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCaching

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A recording process may be killed at any moment: the archive opens, verifies, and has every exchange that was committed.
@Suite(.serialized) struct RecorderKillTests {
    private static let rounds = testEffort > 1 ? 100 : 12
    private static let urls = 20

    /// Records until it is killed, and notes in a file what has been committed.
    private static func record(_ path: String, round: Int, journal: String, after delay: Double) throws {
        let thread = Thread {
            Thread.sleep(forTimeInterval: delay)
            kill(getpid(), SIGKILL)
        }
        thread.start()
        var options = RecordingArchive.Options()
        options.maximumCommitCount = 4
        options.capacity.bytes = 1_500_000
        options.commitInterval = .milliseconds(3)
        let archive = try RecordingArchive(path: FilePath(path), options: options)
        let file = try FileDescriptor.open(
            FilePath(journal), .writeOnly, options: [.create, .append], permissions: .ownerReadWrite)
        var random = SeededGenerator(seed: UInt64(round))
        for number in 0... {
            let url = "http://h/\(number % urls)"
            let length = Int.random(in: 0...(number % 7 == 0 ? 300_000 : 3_000), using: &random)
            try archive.record(url, Array("\(round) \(number) ".utf8) + random.bytes(length))
            if number % 3 == 0 {
                try archive.commit()
                _ = try file.writeAll(Array("\(round) \(number)\n".utf8))
            }
            if number % 11 == 0 { try archive.compact() }
        }
    }

    /// The round and the number that a journal ends with, and a body begins with.
    private static func mark(_ bytes: some Collection<UInt8>) -> [Int] {
        bytes.split(separator: UInt8(ascii: " ")).prefix(2).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    @Test func aKilledRecorderLosesNothingThatWasCommitted() async throws {
        let folder = try TemporaryFolder()
        let (path, journal) = (folder.path("a.webarc").string, folder.path("journal").string)
        var random = SeededGenerator.printed()
        for round in 0..<Self.rounds {
            let delay = Double.random(in: 0.001...0.25, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, journal = journal as String, round = round as Int, delay = delay as Double] in
                try Self.record(path, round: round, journal: journal, after: delay)
            }
            let lines = (try? String(contentsOfFile: journal, encoding: .utf8))?.split(separator: "\n") ?? []
            guard let last = (lines.last?.utf8).map(Self.mark), last.count == 2 else { continue }
            let archive = try RecordingArchive(path: FilePath(path))
            archive.drain()
            // The journal may be a step behind the archive, never ahead of it.
            for back in 0..<Self.urls where last[1] - back >= 0 {
                let number = last[1] - back
                let body = try #require(try archive.body("http://h/\(number % Self.urls)"), "\(last), \(back) before")
                let mark = Self.mark(body)
                #expect(last[0] < mark[0] || last[0] == mark[0] && number <= mark[1], "\(mark), after \(last)")
            }
            // A torn tail is a warning, and nothing else is wrong.
            let findings = try ArchiveVerifier(ArchiveReader(path: FilePath(path))).run()
            #expect(findings.allSatisfy { $0.severity == .warning }, "\(findings)")
        }
        #expect(FileManager.default.fileExists(atPath: journal), "none lived long enough to commit")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(
            Set(names).isSubset(of: [
                "a.webarc", "a.webarc.partial", "a.webarc.uses", "a.webarc.uses.partial", "journal",
            ]))
    }
}
