// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

@Suite struct ArchiveBodyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func bodies(_ random: inout SeededGenerator) -> [[UInt8]] {
        [
            [], [7], random.bytes(4095), random.text(4096), random.bytes(4097), random.bytes(20_000),
            random.text(20_000),
            random.bytes(8192), random.text(5000) + random.bytes(9000) + random.text(100),
        ]
    }

    private func readers(_ exchanges: [Exchange]) throws -> [ArchiveReader] {
        let path = try folder.archive(exchanges)
        return [
            try ArchiveReader(path: path), try ArchiveReader(path: path, access: .mapped),
            try ArchiveReader(bytes: folder.read("a.webarc")),
        ]
    }

    private func body(_ number: Int, of reader: ArchiveReader) throws -> ArchiveBody {
        try #require(try reader.entry(for: "http://a/\(number)")?.body)
    }

    @Test func ranges() throws {
        var random = SeededGenerator.printed()
        let bodies = bodies(&random)
        for reader in try readers(bodies.enumerated().map { Exchange("http://a/\($0)", body: $1) }) {
            for (number, expected) in bodies.enumerated() {
                let body = try body(number, of: reader)
                let count = expected.count
                #expect(try body.bytes() == expected)
                for _ in 0..<40 {
                    let low = Int.random(in: 0...count, using: &random)
                    let high =
                        random.chance(3)
                        ? min(count, (low / 4096 + 1) * 4096) : Int.random(in: low...count, using: &random)
                    let range = UInt64(low)..<UInt64(max(low, high))
                    #expect(
                        try body.bytes(in: range) == Array(expected[low..<max(low, high)]),
                        "\(range), seed \(random.seed)")
                }
                for range in [0..<UInt64(count) + 1, UInt64(count) + 1..<UInt64(count) + 1, 0 ..< .max] {
                    #expect(archiveError { _ = try body.bytes(in: range) }?.code == .invalidArgument)
                    #expect(archiveError { try body.forEachBuffer(in: range) { _ in } }?.code == .invalidArgument)
                }
            }
        }
    }

    /// Chunks are the parts of blocks that the range touches, and nothing is called after an error.
    @Test func chunks() throws {
        var random = SeededGenerator.printed()
        let expected = random.text(10_000)
        for reader in try readers([Exchange("http://a/0", body: expected), Exchange("http://a/1", body: [])]) {
            let body = try body(0, of: reader)
            var lengths: [Int] = []
            var bytes: [UInt8] = []
            try body.forEachBuffer { chunk in
                lengths.append(chunk.count)
                bytes += chunk
            }
            #expect(lengths == [4096, 4096, 1808] && bytes == expected)
            lengths = []
            try body.forEachBuffer(in: 4000..<4200) { lengths.append($0.count) }
            #expect(lengths == [96, 104])
            try body.forEachBuffer(in: 50..<50) { _ in Issue.record("no bytes, and yet a chunk") }
            try self.body(1, of: reader).forEachBuffer { _ in Issue.record("no bytes, and yet a chunk") }
            var calls = 0
            let error = archiveError {
                try body.forEachBuffer { _ throws(ArchiveError) in
                    calls += 1
                    throw ArchiveError(.cancelled, "enough")
                }
            }
            #expect(error?.code == .cancelled && calls == 1)
        }
    }

    /// The file contains the bytes of a body that is stored uncompressed and in one piece.
    @Test func rawExtents() throws {
        var random = SeededGenerator.printed()
        let bodies = bodies(&random)
        let isRaw = [false, true, true, false, true, true, false, true, false]
        for reader in try readers(bodies.enumerated().map { Exchange("http://a/\($0)", body: $1) }) {
            let file = try folder.read("a.webarc")
            for (number, expected) in bodies.enumerated() {
                let extent = try body(number, of: reader).rawExtent()
                #expect((extent != nil) == isRaw[number], "body \(number)")
                guard let extent else { continue }
                #expect(Array(file[Int(extent.offset)..<Int(extent.end)]) == expected, "body \(number)")
            }
        }
    }

    /// Raw bytes of a mapped archive are handed out where they are.
    @Test func rawBlocksOfAMappedArchiveAreNotCopied() throws {
        var random = SeededGenerator.printed()
        let path = try folder.archive([Exchange("http://a/0", body: random.bytes(4000))])
        let reader = try ArchiveReader(path: path, access: .mapped)
        let mapped = try #require(reader.index.source.mappedBytes)
        var isInside = false
        try body(0, of: reader).forEachBuffer { chunk in
            isInside =
                mapped.contains { _ in true } && chunk.baseAddress.map { $0 >= mapped.baseAddress! } == true
                && chunk.baseAddress.map { $0 < mapped.baseAddress! + mapped.count } == true
        }
        #expect(isInside)
    }

    @Test func placesGrowAsBodiesLieInTheFile() throws {
        var random = SeededGenerator.printed()
        let bodies = (0..<20).map { _ in random.bytes(Int.random(in: 1...9000, using: &random)) }
        try folder.archive(bodies[..<10].enumerated().map { Exchange("http://a/\($0)", body: $1) })
        try folder.archive(
            bodies[10...].enumerated().map { Exchange("http://a/\($0 + 10)", body: $1) }, appending: true)
        let reader = try ArchiveReader(path: folder.path("a.webarc"))
        let places = try bodies.indices.map { try body($0, of: reader).storagePlace }
        #expect(places == places.sorted() && Set(places).count == places.count)
    }
}
