// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

@testable import WebArchiveUpdates

@Suite struct ChunkDigestsTests {
    /// A differ checks these digests, since a patch does not send them, and a patcher derives them.
    @Test func aBodyOfSeveralChunksHasOneDigest() {
        var random = SeededGenerator(seed: 11)
        let bodies = [50, 250, 70, 0, 120].map { random.bytes($0) }
        let content = bodies.flatMap { $0 }
        func piece(_ rank: Int, _ range: Range<UInt64>, _ origin: BodyOrigin = .new) -> ContentChunk.Piece {
            ContentChunk.Piece(
                rank: rank, range: range, isWhole: range.count == bodies[rank].count, origin: origin, isSent: true)
        }
        let chunks = [
            ContentChunk(blocks: 0..<1, pieces: [piece(0, 0..<50), piece(1, 0..<100)]),
            ContentChunk(blocks: 1..<2, pieces: [piece(1, 100..<200)]),
            ContentChunk(blocks: 2..<3, pieces: [piece(1, 200..<250), piece(2, 0..<70), piece(4, 0..<120, .same(7))]),
        ]
        var (sum, position, found) = (ChunkDigests.Sum(), 0, [Int: ContentDigest]())
        for chunk in chunks {
            let length = chunk.pieces.reduce(0) { $0 + $1.range.count }
            let digests = ChunkDigests(
                of: chunk, Array(content[position..<position + length]), lengths: bodies.map { UInt64($0.count) })
            for (rank, digest) in sum.add(digests) { found[rank] = digest }
            position += length
        }
        // The old archive has the last one.
        #expect(
            found == [0: ContentDigest(hashing: bodies[0]), 1: .init(hashing: bodies[1]), 2: .init(hashing: bodies[2])])
    }
}
