// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCaching
@testable import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A process with a recording session may be killed at any moment: the archive opens, verifies, and has every exchange that was committed.
@Suite(.serialized) struct SessionKillTests {
    private static let urlCount = 20

    /// The numbers that a line of the journal has, and a body begins with.
    private static func mark(_ bytes: some Collection<UInt8>) -> [Int] {
        bytes.split(separator: UInt8(ascii: " ")).prefix(2).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    /// The body that matches a request.
    private static func body(_ url: String, _ archive: RecordingArchive) throws -> [UInt8]? {
        try archive.lookup(MatchRequest(url: CanonicalURL(url)))?.body?.bytes()
    }

    /// Loads from a server until it is killed, a while after the first commit, and notes what has been committed.
    private static func load(_ path: String, port: Int, journal: String, after delay: Double) async throws {
        // Ends the process by another signal if nothing is recorded.
        alarm(60)
        var options = RecordingArchive.Options()
        options.maximumCommitCount = 4
        options.commitInterval = .milliseconds(3)
        let archive = try RecordingArchive(path: FilePath(path), options: options)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.install(archive, policy: .networkOnly)
        let session = URLSession(configuration: configuration)
        let file = try FileDescriptor.open(
            FilePath(journal), .writeOnly, options: [.create, .append], permissions: .ownerReadWrite)
        for number in 0... {
            let text = "http://127.0.0.1:\(port)/\(number % urlCount)"
            let result = await session.load(URLRequest(try #require(URL(string: text))))
            let body = Array(try #require(result.text).utf8)
            // A response may be recorded a moment after it has come.
            while try Self.body(text, archive) != body { await Task.yield() }
            try await archive.commit()
            _ = try file.writeAll(Array("\(number % urlCount) \(mark(body)[0])\n".utf8))
            guard number == 0 else { continue }
            let thread = Thread {
                Thread.sleep(forTimeInterval: delay)
                kill(getpid(), SIGKILL)
            }
            thread.start()
        }
    }

    @Test func aKilledSessionLosesNothingThatWasCommitted() async throws {
        let folder = try TemporaryFolder()
        let (path, journal) = (folder.path("a.webarc").string, folder.path("journal").string)
        let server = try HTTPTestServer()
        let count = Mutex(0)
        server.onOther { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .text("\(number) " + String(repeating: "x", count: number % 7 == 0 ? 300_000 : 3_000))
        }
        var random = SeededGenerator.printed()
        for _ in 0..<max(3, (testEffort > 1 ? 100 : 12) / 4) {
            let delay = Double.random(in: 0.001...0.2, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, port = server.port as Int, journal = journal as String, delay = delay as Double]
                in
                try await Self.load(path, port: port, journal: journal, after: delay)
            }
            let archive = try RecordingArchive(path: FilePath(path))
            archive.queue.sync {}
            let lines = try String(contentsOfFile: journal, encoding: .utf8).utf8.split(separator: UInt8(ascii: "\n"))
            // The journal may be a step behind the archive, never ahead of it.
            var committed: [Int: Int] = [:]
            for mark in lines.map(Self.mark) where mark.count == 2 { committed[mark[0]] = mark[1] }
            #expect(!committed.isEmpty)
            for (name, number) in committed {
                let body = try #require(try Self.body(server.url("/\(name)").absoluteString, archive), "\(name)")
                #expect(try #require(Self.mark(body).first) >= number, "\(name)")
            }
            let findings = try ArchiveVerifier(ArchiveReader(path: FilePath(path))).run()
            #expect(findings.allSatisfy { $0.severity == .warning }, "\(findings)")
        }
    }
}
