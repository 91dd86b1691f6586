// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// A chunk of consecutive blocks of a commit, which a patch codes at once. Patch specification section 5.
struct ContentChunk: Sendable {
    /// A part of a body.
    struct Piece: Sendable {
        /// The rank of the body.
        let rank: Int
        /// The bytes of the body.
        let range: Range<UInt64>
        /// Whether the piece is the whole body.
        let isWhole: Bool
        /// The origin of the body.
        let origin: BodyOrigin
        /// Whether the bytes come with the chunk: neither from the old archive, nor with the dictionaries.
        let isSent: Bool
    }

    /// The codings of the bytes of a chunk.
    enum Kind: UInt8 {
        /// The sent pieces in one frame, coded against the prefix; no bytes if no piece is sent.
        case frame = 0
        /// The stored bytes of the own blocks, each after its length.
        case stored = 1
        /// Edits of the prefix, and the bytes that they insert.
        case edits = 2
    }

    /// The numbers of the blocks within the commit.
    let blocks: Range<Int>
    /// The pieces of the blocks' bytes, in their order.
    let pieces: [Piece]

    /// The maximum length of a chunk's blocks, in bytes, unless it is one block.
    static let longest = 8 << 20

    /// The maximum number of chunks that are processed at once: with its prefix, a chunk takes some 40 MiB.
    static let maximumThreadCount = 4

    /// The length of the bytes that come with the chunk.
    var sentLength: Int { pieces.reduce(0) { $0 + ($1.isSent ? $1.range.count : 0) } }

    // MARK: - Prefix

    /// The bytes around a piece of a long body that are compared in the old one.
    private static let slack: UInt64 = 64 << 10
    /// The maximum length of a prefix, in bytes.
    private static let maximumPrefixLength = 8 << 20

    /// The bytes of the old archive against which the sent pieces are coded: those of the changed bodies.
    struct Prefix {
        /// The part that resembles one piece.
        struct Part {
            /// The range within the prefix.
            let range: Range<Int>
            /// The offset in the prefix that corresponds to the beginning of the piece.
            let start: Int
        }

        /// The bytes, in the order of the pieces; at most 8 MiB.
        var bytes: [UInt8] = []
        /// The parts of the sent pieces, in their order; nil for a piece of a new body, and for one whose part was left out.
        var parts: [Part?] = []
    }

    /// Reads the prefix.
    func prefix(_ old: OldBodies) throws(ArchiveError) -> Prefix {
        var prefix = Prefix()
        for piece in pieces where piece.isSent {
            guard case .changed(let row) = piece.origin else {
                prefix.parts.append(nil)
                continue
            }
            let body = try old.body(row)
            let range = Self.range(piece.range, body.length)
            let start = prefix.bytes.count
            guard start + range.count <= Self.maximumPrefixLength else {
                prefix.parts.append(nil)
                continue
            }
            try old.append(body, range, to: &prefix.bytes)
            prefix.parts.append(
                Prefix.Part(
                    range: start..<prefix.bytes.count,
                    start: start + Int(min(piece.range.lowerBound, body.length) - range.lowerBound)))
        }
        return prefix
    }

    /// Returns the range of an old body with which a piece is compared: that of the piece, and 64 KiB before and after it.
    ///
    /// - Parameters:
    ///   - range: the range of the piece in the new body.
    ///   - length: the length of the old body, within which the result is.
    private static func range(_ range: Range<UInt64>, _ length: UInt64) -> Range<UInt64> {
        let start = min(range.lowerBound, length)
        return (start - min(start, slack))..<min(range.upperBound + slack, length)
    }
}

/// An iteration over the blocks of a commit, chunk by chunk.
struct ChunkWalk {
    private let contents: CommitContents
    private let origins: [BodyOrigin]
    /// The ranks of the bodies that come with the dictionaries.
    private let apart: Set<Int>
    /// The number of the next block within the commit.
    private var block = 0
    /// The rank of the first body of the next block; see ``done``.
    private var rank = 0
    /// The length of the body at ``rank`` that earlier chunks had.
    private var done: UInt64 = 0

    /// The number of bytes that are sent with a chunk, after which a new one begins.
    private static let sentLength = 1 << 20

    init(_ contents: CommitContents, _ origins: [BodyOrigin], apart: Set<Int>) {
        (self.contents, self.origins, self.apart) = (contents, origins, apart)
    }

    /// Whether all blocks were visited.
    var isAtEnd: Bool { block == contents.blockLengths.count }

    /// Returns the next chunk, of the usual length.
    mutating func next() -> ContentChunk {
        let start = self
        var (count, length, sent) = (0, 0, 0)
        while !isAtEnd, count == 0 || length + contents.blockLengths[block] <= ContentChunk.longest,
            sent < Self.sentLength
        {
            length += contents.blockLengths[block]
            for piece in pieces(1) where piece.isSent { sent += piece.range.count }
            count += 1
        }
        self = start
        return chunk(count)
    }

    /// Returns the next chunk, of a given number of blocks.
    mutating func next(blocks count: Int) throws(ArchiveError) -> ContentChunk {
        let left = contents.blockLengths[block...]
        guard count >= 1, count <= left.count,
            count == 1 || left.prefix(count).reduce(0, +) <= ContentChunk.longest
        else { throw .damaged("the patch has a chunk of \(count) blocks, which is out of range") }
        return chunk(count)
    }

    /// Takes blocks, whose number the caller has checked.
    private mutating func chunk(_ count: Int) -> ContentChunk {
        let first = block
        let pieces = pieces(count)
        return ContentChunk(blocks: first..<first + count, pieces: pieces)
    }

    /// Advances over blocks.
    private mutating func pieces(_ count: Int) -> [ContentChunk.Piece] {
        var left = UInt64(contents.blockLengths[block..<block + count].reduce(0, +))
        block += count
        var pieces: [ContentChunk.Piece] = []
        while left > 0, rank < origins.count {
            let length = contents.bodyLengths[rank]
            let part = min(length - done, left)
            if part > 0 {
                pieces.append(
                    ContentChunk.Piece(
                        rank: rank, range: done..<done + part, isWhole: part == length, origin: origins[rank],
                        isSent: !origins[rank].isSame && !apart.contains(rank)))
            }
            left -= part
            done += part
            if done == length { (rank, done) = (rank + 1, 0) }
        }
        return pieces
    }
}
