// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import WebArchive

/// An intact archive has no findings, at any depth, with any number of threads, from any source.
@Suite struct IntactArchiveTests {
    @Test(arguments: [ArchiveVerifier.Depth.quick, .full], [1, 2, 5])
    func mixed(_ depth: ArchiveVerifier.Depth, _ threads: Int) throws {
        let surgeon = try SampleArchive.surgeon(SampleArchive.mixed)
        #expect(try surgeon.findings(depth, threads: threads) == [])
    }

    @Test func empty() throws {
        #expect(try SampleArchive.surgeon { _ in }.findings() == [])
    }

    @Test func severalCommits() throws {
        let more = (0..<5).map { number in
            { (writer: ArchiveWriter) throws in
                try SampleArchive.page(
                    "https://site.example/page1.html", writer.addBody(SampleArchive.text(number, length: 5000)), writer,
                    time: 100 + Int64(number))
                try SampleArchive.page(
                    "https://site.example/page2.html", writer.addBody(SampleArchive.text(3, length: 300 + 211 * 3)),
                    writer)
            }
        }
        let bytes = try SampleArchive.bytes(SampleArchive.mixed, more: more)
        #expect(try ArchiveReader(bytes: bytes).commitCount == 6)
        #expect(try ArchiveSurgeon(bytes).findings(threads: 2) == [])
    }

    @Test func fromAFile() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.webarc", SampleArchive.bytes(SampleArchive.mixed))
        for access in [FileByteSource.Access.positional, .mapped] {
            let archive = try ArchiveReader(path: path, access: access)
            #expect(ArchiveVerifier(archive, threads: 2).run() == [])
        }
    }

    @Test func sharedBlocksAndDictionaries() throws {
        let surgeon = try SampleArchive.surgeon { writer in
            let bodies = try SampleArchive.shared((0..<30).map { SampleArchive.text($0, length: 100 + $0) }, writer)
            for (number, body) in bodies.enumerated() {
                try SampleArchive.page("https://site.example/\(number)", body, writer)
            }
            try DictionarySample.write(writer)
        }
        #expect(try surgeon.findings(threads: 2) == [])
    }

    /// Longer than a batch: hashed as a stream; beside it, what fits into batches.
    @Test func longBodies() throws {
        let bytes = try SampleArchive.bytes(blockExponent: 18) { writer in
            for (number, length) in [5 << 20, 1000, 9 << 20 | 77, 2 << 20, 3 << 20, 4 << 20, 4 << 20 | 1].enumerated() {
                let body = try writer.addBody(SampleArchive.noise(number, length: length))
                try SampleArchive.page("https://site.example/\(number)", body, writer)
            }
        }
        for threads in [1, 3] { #expect(try ArchiveSurgeon(bytes).findings(threads: threads) == []) }
    }

    /// Blocks of one byte, and more of them than a batch takes.
    @Test func manyTinyBodies() throws {
        let bytes = try SampleArchive.bytes { writer in
            for number in 0..<20_000 {
                let body = try writer.addBody(Array(String(number).utf8))
                if number % 500 == 0 { try SampleArchive.page("https://site.example/\(number)", body, writer) }
            }
        }
        #expect(try ArchiveSurgeon(bytes).findings(threads: 2) == [])
    }

    @Test(arguments: [1, 4]) func progress(_ threads: Int) throws {
        let archive = try SampleArchive.surgeon(SampleArchive.mixed).archive
        let calls = Mutex<[WorkProgress]>([])
        _ = ArchiveVerifier(archive, threads: threads).run { now in calls.withLock { $0.append(now) } }
        let seen = calls.withLock { $0 }
        let total = try #require(seen.first?.totalBytes)
        // Forty pages, and ten bytes that were sent.
        let expected = (0..<40).map { 300 + 211 * $0 }.reduce(10, +)
        #expect(total == UInt64(expected))
        #expect(seen.allSatisfy { $0.totalBytes == total && $0.bytes <= total })
        #expect(seen.last?.bytes == total)
        #expect(seen.count >= 2)
    }
}

/// Blocks that were compressed against a dictionary.
enum DictionarySample {
    static func write(_ writer: ArchiveWriter) throws {
        let contents = SampleArchive.text(99, length: 2000)
        let dictionary = try writer.builder.addDictionary(contents, name: Array("sample".utf8))
        let prepared = PreparedDictionary(contents, level: .standard)
        let compressor = BlockCompressor(level: .standard)
        for number in 0..<5 {
            let body = Array(contents.dropFirst(100 * number).prefix(600))
            var stored = [UInt8](repeating: 0, count: body.count - 1)
            let length = try #require(
                body.withUnsafeBytes { body in
                    stored.withUnsafeMutableBytes { compressor.compress(body, dictionary: prepared, into: $0) }
                })
            let block = try stored.withUnsafeBytes {
                try writer.builder.appendBlock(
                    UnsafeRawBufferPointer(rebasing: $0[..<length]), length: body.count, isCompressed: true,
                    dictionary: dictionary)
            }
            let reference = try writer.builder.register(
                ContentDigest(hashing: body), length: UInt64(body.count), block: block, offset: 0)
            try SampleArchive.page("https://dictionary.example/\(number)", reference, writer)
        }
    }
}
