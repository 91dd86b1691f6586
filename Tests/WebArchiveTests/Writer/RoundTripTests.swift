// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

/// Everything that is read is what was written.
@Suite struct RoundTripTests {
    private func write(_ commits: Commits, to path: FilePath, _ random: inout SeededGenerator) throws {
        let options = ArchiveWriter.Options(
            level: [.fast, .level(1), .level(4)][Int.random(in: 0..<3, using: &random)], blockExponent: 12)
        for (number, exchanges) in commits.commits.enumerated() {
            let writer =
                try number == 0
                ? ArchiveWriter(creating: path, options: options) : ArchiveWriter(appendingTo: path, options: options)
            for exchange in exchanges {
                let stream = random.chance(3) ? Int.random(in: 1...5000, using: &random) : nil
                try exchange.write(to: writer, stream: stream)
            }
            try writer.commit()
        }
    }

    @Test(arguments: 0..<12) func randomExchanges(round: Int) throws {
        var random = SeededGenerator.printed("randomExchanges(\(round))")
        // A round of its own, also with a given seed.
        for _ in 0..<round { _ = random.next() }
        var generator = ExchangeGenerator(SeededGenerator(seed: random.next()), blockLength: 4096)
        let commits = generator.commits(1 + round % 4, of: [1, 17, 60][round % 3])
        let folder = try TemporaryFolder()
        let path = folder.path("a.webarc")
        try write(commits, to: path, &random)

        for reader in [
            try ArchiveReader(path: path), try ArchiveReader(path: path, access: .mapped),
            try ArchiveReader(bytes: folder.read("a.webarc")),
        ] {
            #expect(try commits.differences(from: reader) == [], "seed \(random.seed)")
            #expect(reader.commitCount == commits.commits.count)
            #expect(reader.entryCount == commits.commits.joined().count)
            #expect(reader.tornTail == 0)
        }
        let reader = try ArchiveReader(path: path)
        try checkLookups(commits, reader, random.seed)
        try checkBodies(commits, reader, random.seed)
    }

    private func checkLookups(_ commits: Commits, _ reader: ArchiveReader, _ seed: UInt64) throws {
        for exchange in commits.commits.joined() {
            let url = try CanonicalURL(exchange.request.url)
            let (method, digest) = (exchange.request.method, exchange.requestDigest)
            let expected = commits.captures(exchange.key, method, digest)
            let found = try reader.captures(of: url, method: method, bodyDigest: digest)
            #expect(found.count == expected.count, "\(exchange.key), seed \(seed)")
            for (entry, exchange) in zip(found, expected) {
                #expect(try exchange.differences(from: entry) == [], "seed \(seed)")
            }
            let newest = try reader.entry(for: url, method: method, bodyDigest: digest)
            #expect((newest == nil) == expected.isEmpty)
            if let newest { #expect(try expected.first?.differences(from: newest) == [], "seed \(seed)") }
        }
    }

    /// Equal bodies are stored once through all commits; each is found by its digest.
    private func checkBodies(_ commits: Commits, _ reader: ArchiveReader, _ seed: UInt64) throws {
        let all = commits.commits.joined().flatMap { [$0.body, $0.requestBody].compactMap(\.self) }
        let distinct = Set(all)
        #expect(reader.bodyCount == distinct.count, "seed \(seed)")
        for body in distinct {
            let found = try reader.bodies(digest: ContentDigest(hashing: body))
            #expect(try found.map { try $0.bytes() } == [body], "seed \(seed)")
        }
        #expect(try reader.bodies(digest: ContentDigest(hashing: [1, 2, 3, 4])).isEmpty)
    }

    @Test func anArchiveOfNothing() throws {
        let folder = try TemporaryFolder()
        try ArchiveWriter(creating: folder.path("a.webarc")).commit()
        let reader = try ArchiveReader(path: folder.path("a.webarc"))
        #expect(reader.entryCount == 0 && reader.bodyCount == 0 && reader.commitCount == 1)
        #expect(try reader.entries().isEmpty)
        #expect(try reader.metadata().isEmpty)
        #expect(try reader.entry(for: "http://a/") == nil)
        #expect(try reader.bodies(digest: .ofNothing).isEmpty)
    }

    /// Two writers that are given the same write the same bytes, whatever else their processes have done.
    @Test func sameInputSameBytes() throws {
        var random = SeededGenerator.printed()
        let seed = random.next()
        let folder = try TemporaryFolder()
        var generator = ExchangeGenerator(SeededGenerator(seed: seed), blockLength: 4096)
        let commits = generator.commits(3, of: 40)
        for name in ["a", "b"] {
            var choices = SeededGenerator(seed: seed)
            try write(commits, to: folder.path(name), &choices)
        }
        #expect(try folder.read("a") == folder.read("b"), "seed \(random.seed)")
    }
}
