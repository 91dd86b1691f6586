// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchiveFormat

@testable import WebArchive
@testable import WebArchiveUpdates

/// Edits of pieces, found and applied.
@Suite struct ChunkEditsTests {
    /// A chunk whose sent pieces have these lengths, and parts of a prefix.
    private static func chunk(_ lengths: [Int]) -> ContentChunk {
        let pieces = lengths.enumerated().map { rank, length in
            ContentChunk.Piece(
                rank: rank, range: 0..<UInt64(length), isWhole: true, origin: .changed(0), isSent: true)
        }
        return ContentChunk(blocks: 0..<1, pieces: pieces)
    }

    private static func prefix(_ parts: [[UInt8]?], starts: [Int]) -> ContentChunk.Prefix {
        var prefix = ContentChunk.Prefix()
        for (part, start) in zip(parts, starts) {
            let first = prefix.bytes.count
            prefix.bytes += part ?? []
            prefix.parts.append(
                part.map { ContentChunk.Prefix.Part(range: first..<first + $0.count, start: first + start) })
        }
        return prefix
    }

    /// Texts with short edits, some of which begin inside of their part, and new ones.
    @Test func piecesComeOutAsTheyWere() throws {
        var random = SeededGenerator.printed()
        for _ in 0..<60 {
            var (parts, starts, pieces, changed) = ([[UInt8]?](), [Int](), [[UInt8]](), 0)
            for number in 0..<Int.random(in: 1...12, using: &random) {
                let text = random.bytes(Int.random(in: 0...9_000, using: &random))
                let start = number % 3 == 2 ? min(text.count, 500) : 0
                var piece = Array(text[start...])
                for _ in 0..<Int.random(in: 0...4, using: &random) where piece.count > 100 {
                    let place = Int.random(in: 0..<piece.count - 60, using: &random)
                    let length = Int.random(in: 0...60, using: &random)
                    let new = random.bytes(Int.random(in: 0...40, using: &random))
                    changed += new.count
                    piece.replaceSubrange(place..<place + length, with: new)
                }
                if number == 5 { changed += piece.count }
                parts.append(number == 5 ? nil : text)
                starts.append(start)
                pieces.append(piece)
            }
            let (chunk, prefix) = (Self.chunk(pieces.map(\.count)), Self.prefix(parts, starts: starts))
            let sent = pieces.flatMap { $0 }
            let edits = try #require(EditSearch.edits(of: chunk, sent, prefix))
            #expect(try edits.pieces(of: chunk, prefix) == sent)
            // Two edits with fewer than 16 equal bytes between them are one.
            #expect(edits.inserted.count <= changed + pieces.count * 4 * 32)
        }
    }

    /// A page whose end moved, and one of which a long part is gone, behind the nearest windows of the search.
    @Test(arguments: [100, 3_000, 40_000])
    func longInsertionsAndRemovalsAreFound(_ length: Int) throws {
        var random = SeededGenerator.printed()
        let (front, middle, back) = (random.bytes(5_000), random.bytes(length), random.bytes(5_000))
        let (short, long) = (front + back, front + middle + back)
        let chunk = Self.chunk([long.count, short.count])
        let prefix = Self.prefix([short, long], starts: [0, 0])
        let edits = try #require(EditSearch.edits(of: chunk, long + short, prefix))
        #expect(edits.inserted == middle)
        #expect(try edits.pieces(of: chunk, prefix) == long + short)
    }

    /// The search in bytes that are alike in nothing ends, as its cost is in proportion to their length.
    @Test func bytesThatDifferEverywhereAreGivenUp() throws {
        var random = SeededGenerator.printed()
        // Sixteen equal bytes, then a difference, over and over.
        let part = random.bytes(400_000)
        var piece = part
        for place in stride(from: 17, to: piece.count, by: 17) { piece[place] ^= 1 }
        let chunk = Self.chunk([piece.count])
        let prefix = Self.prefix([part], starts: [0])
        if let edits = EditSearch.edits(of: chunk, piece, prefix) {
            #expect(try edits.pieces(of: chunk, prefix) == piece)
        }
        let other = random.bytes(400_000)
        let none = try #require(EditSearch.edits(of: chunk, other, prefix))
        #expect(none.inserted == other)
    }

    /// Pages of one site that change alike have edits that are alike: they code into some bytes.
    @Test func editsOfPagesThatChangeAlikeAreShort() throws {
        var random = SeededGenerator.printed()
        let texts = (0..<500).map { _ in random.bytes(Int.random(in: 100...2_000, using: &random)) }
        let (old, new) = (Array("version 17.0.19 of June".utf8), Array("version 17.0.21.1 of July".utf8))
        let pieces = texts.map { $0 + new }
        let chunk = Self.chunk(pieces.map(\.count))
        let prefix = Self.prefix(texts.map { $0 + old }, starts: texts.map { _ in 0 })
        let edits = try #require(EditSearch.edits(of: chunk, pieces.flatMap { $0 }, prefix))
        let record = try edits.encoded(DeltaCoder(), prefix, level: 12)
        #expect(record.count < 500)
        var input = PatchInput(MemoryByteSource(record), at: 0)
        let decoded = try ChunkEdits.Frames(&input, of: chunk).decoded(DeltaCoder(), prefix)
        #expect(try decoded.pieces(of: chunk, prefix) == pieces.flatMap { $0 })
    }

    // MARK: - Hostile edits

    /// Edits of a piece of 100 bytes, whose part has 80, by their numbers; a limit of each kind is passed.
    @Test(
        arguments: [
            ([.signed(81)], 0),
            ([.signed(-82)], 0),
            ([.signed(.min)], 0),
            ([.signed(.max)], 0),
            ([.signed(80), .number(21)], 21),
            ([.signed(80), .number(20)], 19),
            ([.signed(80), .number(19), .signed(1)], 19),
            ([.signed(80), .number(19), .signed(-81)], 19),
            ([.signed(80), .number(19), .signed(.min)], 19),
            ([.signed(80), .number(20), .signed(0)], 20),
            ([.signed(80), .number(20)], 21),
            ([.signed(80)], 0),
            ([], 0),
            ([.signed(0), .number(0), .signed(0), .signed(0), .number(0), .signed(0), .signed(80), .number(20)], 20),
            ([.signed(1), .number(1), .signed(0), .signed(0), .number(0), .signed(1), .signed(78), .number(20)], 21),
        ] as [([Number], Int)])
    private func aLimitIsKept(_ numbers: [Number], _ inserted: Int) {
        let prefix = Self.prefix([[UInt8](repeating: 1, count: 80)], starts: [0])
        let edits = ChunkEdits(edits: numbers.flatMap(\.bytes), inserted: [UInt8](repeating: 2, count: inserted))
        #expect(throws: ArchiveError(.damaged, "")) { try edits.pieces(of: Self.chunk([100]), prefix) }
    }

    /// The numbers of a piece that is made of its part and 20 bytes.
    @Test(
        arguments: [
            [.signed(80), .number(20)],
            [.signed(-1), .number(20)],
            [.signed(0), .number(20), .signed(0), .signed(-1)],
            [.signed(0), .number(0), .signed(1), .signed(0), .number(20), .signed(-1), .signed(80)],
            [.signed(-81), .number(10), .signed(80), .signed(0), .number(10), .signed(-80), .signed(80)],
        ] as [[Number]])
    private func numbersOfOnePiece(_ numbers: [Number]) throws {
        let prefix = Self.prefix([[UInt8](repeating: 1, count: 80)], starts: [0])
        let edits = ChunkEdits(edits: numbers.flatMap(\.bytes), inserted: [UInt8](repeating: 2, count: 20))
        let piece = try edits.pieces(of: Self.chunk([100]), prefix)
        #expect(piece.count == 100 && piece.filter { $0 == 1 }.count == 80)
    }

    /// Frames of some bytes that decode to millions of edits: a piece of 3 bytes and one of 2 have at most 7 of them, of 30 bytes each.
    @Test(arguments: [(210, 5, true), (211, 5, false), (210, 6, false), (1 << 24, 0, false)])
    func framesAreNoLongerThanTheirPiecesNeed(_ edits: Int, _ inserted: Int, _ areRead: Bool) throws {
        var record: [UInt8] = []
        for length in [edits, inserted] {
            record.appendNumber(UInt64(length))
            record += [1, 0]
        }
        var input = PatchInput(MemoryByteSource(record), at: 0)
        if areRead {
            #expect(try ChunkEdits.Frames(&input, of: Self.chunk([3, 2])).editsLength == edits)
        } else {
            #expect(throws: ArchiveError(.damaged, "")) { try ChunkEdits.Frames(&input, of: Self.chunk([3, 2])) }
        }
    }

    /// Nothing is left over where nothing is sent.
    @Test(arguments: [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0]] as [[UInt8]])
    func aChunkWithoutSentPiecesHasNoEdits(_ record: [UInt8]) throws {
        var input = PatchInput(MemoryByteSource(record), at: 0)
        let isEmpty = record == [0, 0]
        if isEmpty {
            _ = try ChunkEdits.Frames(&input, of: Self.chunk([]))
        } else {
            #expect(throws: ArchiveError(.damaged, "")) { try ChunkEdits.Frames(&input, of: Self.chunk([])) }
        }
    }
}

/// A number of edits.
private enum Number: Sendable {
    case number(UInt64)
    case signed(Int64)

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .number(let value): bytes.appendNumber(value)
        case .signed(let value): bytes.appendSigned(value)
        }
        return bytes
    }
}
