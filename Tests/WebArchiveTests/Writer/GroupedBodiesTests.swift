// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Tests of bodies that come one after another.
@Suite struct GroupedBodiesTests {
    private let folder = try! TemporaryFolder()  // A test without a folder has nothing to say.

    private func archive(
        _ pages: [[UInt8]], usesDictionaries: Bool = true, threads: Int = 1
    ) throws -> ArchiveReader {
        let path = folder.path("a.webarc")
        let builder = try CommitBuilder(creating: path)
        let bodies = GroupedBodies(builder, usesDictionaries: usesDictionaries, threads: threads)
        for (number, page) in pages.enumerated() {
            let body = try page.withBytes { (bytes) throws(ArchiveError) in try bodies.add(bytes, kind: "text/html") }
            _ = try builder.add(
                ArchiveRequest(url: "http://a/\(number)"), response: ArchiveResponse(headers: []), body: body)
        }
        try bodies.finish()
        try builder.commit()
        return try ArchiveReader(path: path)
    }

    /// Pages of a few kilobytes with words of their own, and one frame; each third one occurs twice.
    private func pages(_ count: Int) -> [[UInt8]] {
        var random = SeededGenerator.printed()
        let frame = (0..<200).map { "<a href='/chapter/\($0)'>Chapter \($0)</a>" }.joined()
        return (0..<count).flatMap { number in
            let words = (0..<100).map { _ in String(UInt32.random(in: 0 ... .max, using: &random), radix: 36) }
            let page = Array("<html>\(frame)\(words.joined(separator: " "))</html>".utf8)
            return number % 3 == 0 ? [page, page] : [page]
        }
    }

    /// Pages of a kind are compressed against a dictionary of the kind, and are the same when they are read.
    @Test func pagesOfAKind() throws {
        let pages = pages(300)
        let plain = try archive(pages, usesDictionaries: false)
        #expect(try StoredArchive(plain).dictionaryBodies().count == 0)
        let length = plain.fileLength
        let archive = try archive(pages)
        #expect(ArchiveVerifier(archive).run().filter { $0.severity == .error } == [])
        #expect(try StoredArchive(archive).dictionaryBodies().count == 1)
        #expect(archive.fileLength < length)
        for (number, page) in pages.enumerated() {
            let body = try #require(try archive.entry(for: "http://a/\(number)")?.body)
            #expect(try body.bytes() == page)
        }
    }

    /// After many megabytes a new dictionary is made.
    @Test func dictionariesOfLaterPages() throws {
        let long = pages(2_000).map { $0 + [UInt8](repeating: 0x20, count: 8_000) }
        let archive = try archive(long)
        #expect(try StoredArchive(archive).dictionaryBodies().count == 2)
        let body = try #require(try archive.entry(for: "http://a/\(long.count - 1)")?.body)
        #expect(try body.bytes() == long[long.count - 1])
    }

    /// Small bodies, bodies of a block of their own, and longer ones, some of them twice, are the same archive for any number of threads.
    @Test func numberOfThreads() throws {
        var random = SeededGenerator.printed()
        var bodies = pages(100)
        for _ in 0..<60 {
            let body = random.bytes(Int.random(in: 1...700_000, using: &random))
            bodies.insert(body, at: Int.random(in: 0...bodies.count, using: &random))
            if random.chance(3) { bodies.insert(body, at: Int.random(in: 0...bodies.count, using: &random)) }
        }
        let archive = try archive(bodies, threads: 1)
        #expect(ArchiveVerifier(archive).run().filter { $0.severity == .error } == [])
        #expect(archive.bodyCount == Set(bodies).count + (try StoredArchive(archive).dictionaryBodies().count))
        for (number, bytes) in bodies.enumerated() {
            #expect(try archive.entry(for: "http://a/\(number)")?.body?.bytes() == bytes, "seed \(random.seed)")
        }
        let file = try folder.read("a.webarc")
        for threads in [2, 5] {
            _ = try self.archive(bodies, threads: threads)
            #expect(try folder.read("a.webarc") == file, "\(threads) threads, seed \(random.seed)")
        }
    }
}
