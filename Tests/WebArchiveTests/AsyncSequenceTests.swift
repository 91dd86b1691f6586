// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

@Suite struct AsyncSequenceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func body(_ url: String, of archive: ArchiveReader) throws -> ArchiveBody {
        try #require(try archive.entry(for: url)?.body)
    }

    @Test(arguments: [0..<10_000, 0..<0, 4000..<4200, 8192..<8192, 4096..<8192, 9999..<10_000, 1..<10_000])
    func chunksAreTheBlocksOfTheRange(_ range: Range<UInt64>) async throws {
        var random = SeededGenerator.printed()
        let expected = random.text(10_000)
        let archive = try ArchiveReader(path: folder.archive([Exchange("http://a/", body: expected)]))
        var bytes: [UInt8] = []
        for try await chunk in try body("http://a/", of: archive).chunks(in: range) {
            let start = range.lowerBound + UInt64(bytes.count)
            #expect(!chunk.isEmpty && start / 4096 == (start + UInt64(chunk.count) - 1) / 4096, "seed \(random.seed)")
            bytes += chunk
        }
        #expect(bytes == Array(expected[Int(range.lowerBound)..<Int(range.upperBound)]), "seed \(random.seed)")
    }

    @Test func aRangeOutsideOfTheBodyIsRefused() throws {
        let archive = try ArchiveReader(path: folder.archive([Exchange("http://a/", body: [1, 2])]))
        let body = try body("http://a/", of: archive)
        #expect(archiveError { _ = try body.chunks(in: 0..<3) }?.code == .invalidArgument)
    }

    /// Chunks before a damaged block arrive, and nothing of that block.
    @Test func aDamagedBlockEndsTheChunks() async throws {
        var random = SeededGenerator.printed()
        let contents = random.bytes(10_000)
        let path = try folder.archive([Exchange("http://a/", body: contents)])
        let second = try #require(Data(try folder.read("a.webarc")).firstRange(of: Data(contents[4096..<8192])))
        var damaged = try folder.read("a.webarc")
        damaged[second.lowerBound] ^= 1
        let archive = try ArchiveReader(bytes: damaged)
        var count = 0
        await #expect(throws: ArchiveError.self) {
            for try await chunk in try body("http://a/", of: archive).chunks() { count += chunk.count }
        }
        #expect(count == 4096, "seed \(random.seed), \(path)")
    }

    /// A body that comes in chunks of any type and length is the same file as one that came at once.
    @Test(arguments: [1, 4095, 4096, 4097, 50_000]) func bodiesArriveInChunks(length: Int) async throws {
        var random = SeededGenerator.printed()
        let body = random.text(20_000)
        let parts = stride(from: 0, to: body.count, by: length).map { body[$0..<min($0 + length, body.count)] }
        func archive(_ name: String, _ add: (ArchiveWriter) async throws -> ArchiveWriter.BodyReference) async throws
            -> [UInt8]
        {
            let writer = try ArchiveWriter(creating: folder.path(name), options: .init(blockExponent: 12))
            let reference = try await add(writer)
            try writer.add(ArchiveRequest(url: "http://a/"), response: ArchiveResponse(), body: reference)
            try writer.commit()
            return try folder.read(name)
        }
        let whole = try await archive("whole") { try $0.addBody(body) }
        #expect(try await archive("slices") { try await $0.addBody(from: stream(parts)) } == whole)
        #expect(try await archive("data") { try await $0.addBody(from: stream(parts.map { Data($0) })) } == whole)
        #expect(
            try await archive("unstored") { try await $0.addBody(from: stream(parts.map { $0.reversed().reversed() })) }
                == whole)
    }

    private func stream<Chunk: Sendable>(_ chunks: [Chunk], _ error: (any Error)? = nil) -> AsyncThrowingStream<
        Chunk, any Error
    > {
        AsyncThrowingStream { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish(throwing: error)
        }
    }

    private struct ConnectionLost: Error {}

    /// Chunks before an error are removed, and the writer continues as if they had not been written.
    @Test func aBodyThatBreaksOffIsTakenBack() async throws {
        var random = SeededGenerator.printed()
        let (broken, kept) = (random.bytes(50_000), random.text(5000))
        for (name, breaksOff) in [("a", false), ("b", true)] {
            let writer = try ArchiveWriter(creating: folder.path(name), options: .init(blockExponent: 12))
            if breaksOff {
                await #expect(throws: ConnectionLost.self) {
                    try await writer.addBody(from: stream([broken], ConnectionLost()))
                }
            }
            let reference = try await writer.addBody(from: stream([kept]))
            try writer.add(ArchiveRequest(url: "http://a/"), response: ArchiveResponse(), body: reference)
            try writer.commit()
        }
        #expect(try folder.read("a") == folder.read("b"), "seed \(random.seed)")
    }

    /// A stream ends without an error when its task is cancelled: that is not the end of the body.
    @Test func aCancelledTaskStoresNoBody() async throws {
        let path = folder.path("a")
        let result = await Task {
            let writer = try ArchiveWriter(creating: path)
            withUnsafeCurrentTask { $0?.cancel() }
            defer { writer.cancel() }
            return try await writer.addBody(from: AsyncStream<[UInt8]> { $0.yield([1]) })
        }.result
        #expect(throws: CancellationError.self) { try result.get() }
    }
}
