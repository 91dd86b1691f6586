// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchive
import WebArchiveFormat

/// The digests of the bodies of a chunk that the old archive does not have, which a patch does not send.
struct ChunkDigests: Sendable {
    /// A part of a body that extends into other chunks.
    private struct Part: Sendable {
        let rank: Int
        /// Whether the body ends with this part.
        let isLast: Bool
        /// A copy of the bytes, which are hashed after those of the chunks before.
        let bytes: [UInt8]
    }

    /// The digests of the bodies that begin and end in the chunk.
    private let whole: [(rank: Int, digest: ContentDigest)]
    /// The parts of bodies that do not: at most one at each end of the chunk.
    private let parts: [Part]

    /// Computes the digests, side by side.
    ///
    /// - Parameters:
    ///   - content: the decoded blocks of the chunk.
    ///   - lengths: the lengths of all bodies, by rank.
    init(of chunk: ContentChunk, _ content: [UInt8], lengths: [UInt64]) {
        var (ranks, parts, position) = ([Int](), [Part](), 0)
        whole = content.withUnsafeBytes { content in
            var bodies: [UnsafeRawBufferPointer] = []
            for piece in chunk.pieces {
                let bytes = UnsafeRawBufferPointer(rebasing: content[position..<position + piece.range.count])
                position += piece.range.count
                guard !piece.origin.isSame else { continue }
                if piece.isWhole {
                    ranks.append(piece.rank)
                    bodies.append(bytes)
                } else {
                    let isLast = piece.range.upperBound == lengths[piece.rank]
                    parts.append(Part(rank: piece.rank, isLast: isLast, bytes: Array(bytes)))
                }
            }
            return zip(ranks, ContentDigest.digests(of: bodies)).map { (rank: $0, digest: $1) }
        }
        self.parts = parts
    }

    /// A sum of the digests of all chunks, one after the other.
    struct Sum {
        /// The digest of a body that continues in the next chunk.
        private var unfinished = Insecure.MD5()

        /// Adds the digests of the next chunk, and returns those that are complete.
        mutating func add(_ digests: ChunkDigests) -> [(rank: Int, digest: ContentDigest)] {
            var complete = digests.whole
            for part in digests.parts {
                part.bytes.withUnsafeBytes { unfinished.update(bufferPointer: $0) }
                guard part.isLast else { continue }
                let digest = unfinished.finalize().withUnsafeBytes { ContentDigest(rawBytes: $0) }
                complete.append((part.rank, digest))
                unfinished = Insecure.MD5()
            }
            return complete
        }
    }
}
