// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The sent pieces of a chunk as edits of bodies of the old archive: copies from these, and insertions. Patch specification
/// section 5.
struct ChunkEdits: Sendable {
    /// The numbers of the edits.
    var edits: [UInt8] = []
    /// The bytes that are inserted.
    var inserted: [UInt8] = []

    /// The length of the chunk's prefix against which the inserted bytes are coded: the beginnings of a site's pages are similar.
    private static let prefixLength = 128 << 10

    /// The maximum length of an edit, in bytes: three numbers. A piece has at most one edit more than bytes.
    private static let maximumEditLength = 3 * Int(CommitPatcher.maximumNumberLength)

    /// The frames of edits, as in a patch.
    struct Frames: Sendable {
        /// The lengths of both parts when decoded, in bytes.
        private var lengths = (edits: 0, inserted: 0)
        /// The frames; empty where the decoded length is 0.
        private var frames = (edits: [UInt8](), inserted: [UInt8]())

        /// The bytes of the edits when decoded.
        var editsLength: Int { lengths.edits }

        /// Reads both frames.
        ///
        /// - Throws: `damaged` for more edits than the sent pieces of the chunk can have, and for more inserted bytes.
        init(_ input: inout PatchInput, of chunk: ContentChunk) throws(ArchiveError) {
            let (limit, sentLength) = (DeltaCoder.maximumLength, chunk.sentLength)
            let most = ChunkEdits.maximumEditLength * (sentLength + chunk.pieces.count(where: \.isSent))
            lengths.edits = Int(try input.number(atMost: UInt64(min(limit, most))))
            if lengths.edits > 0 { frames.edits = try input.frame() }
            lengths.inserted = Int(try input.number(atMost: UInt64(min(limit, sentLength))))
            if lengths.inserted > 0 { frames.inserted = try input.frame() }
        }

        /// Decodes both frames.
        func decoded(_ coder: DeltaCoder, _ prefix: ContentChunk.Prefix) throws(ArchiveError) -> ChunkEdits {
            var result = ChunkEdits()
            if lengths.edits > 0 { result.edits = try coder.decode(frames.edits, prefix: [], length: lengths.edits) }
            if lengths.inserted > 0 {
                result.inserted = try coder.decode(
                    frames.inserted, prefix: ChunkEdits.prefix(prefix), length: lengths.inserted)
            }
            return result
        }
    }

    /// Codes both parts, each after its lengths.
    func encoded(_ coder: DeltaCoder, _ prefix: ContentChunk.Prefix, level: Int) throws(ArchiveError) -> [UInt8] {
        var record: [UInt8] = []
        for (bytes, prefix) in [(edits, []), (inserted, Self.prefix(prefix))] {
            record.appendNumber(UInt64(bytes.count))
            guard !bytes.isEmpty else { continue }
            let frame = try coder.encode(bytes, prefix: prefix, level: level)
            record.appendNumber(UInt64(frame.count))
            record += frame
        }
        return record
    }

    /// Returns the part of a chunk's prefix against which the inserted bytes are coded.
    private static func prefix(_ prefix: ContentChunk.Prefix) -> [UInt8] { Array(prefix.bytes.prefix(prefixLength)) }

    // MARK: - Applying

    /// Makes the bytes of the sent pieces of a chunk, one after another.
    ///
    /// - Throws: `damaged` for edits that produce other lengths.
    func pieces(of chunk: ContentChunk, _ prefix: ContentChunk.Prefix) throws(ArchiveError) -> [UInt8] {
        var (sent, numbers, insertions) = ([UInt8](), NumberCursor(edits), NumberCursor(inserted))
        sent.reserveCapacity(chunk.sentLength)
        for (piece, part) in zip(chunk.pieces.lazy.filter(\.isSent), prefix.parts) {
            let end = sent.count + piece.range.count
            guard let part else {
                sent += try insertions.bytes(piece.range.count)
                continue
            }
            var (position, isFirst) = (part.start, true)
            while true {
                let (rest, lacking) = (part.range.upperBound - position, end - sent.count)
                let number = try numbers.signed()
                // Numbers of 64 bits come near to the end of their range.
                let count = number < 0 ? number &+ Int64(rest + 1) : number
                guard count >= 0, count <= rest, count <= lacking else { throw Self.damage }
                sent += prefix.bytes[position..<position + Int(count)]
                position += Int(count)
                if sent.count == end { break }
                let inserted = try numbers.number(atMost: end - sent.count)
                // Only where a piece begins can the part be gone on with elsewhere at once. Others would be edits without end.
                guard isFirst || count > 0 || inserted > 0 else { throw Self.damage }
                isFirst = false
                sent += try insertions.bytes(inserted)
                if sent.count == end { break }
                let move = try numbers.signed()
                guard move >= part.range.lowerBound - position, move <= part.range.upperBound - position else {
                    throw Self.damage
                }
                position += Int(move)
            }
        }
        guard numbers.isAtEnd, insertions.isAtEnd else { throw Self.damage }
        return sent
    }

    /// The error of edits that break a rule of patch specification section 5.
    private static let damage = ArchiveError.damaged("the edits do not reproduce the body")
}
