// SPDX-License-Identifier: Apache-2.0

import Mutation

@testable import WebArchive
@testable import WebArchiveFormat
@testable import WebArchiveUpdates

/// The record of one commit.
struct PatchRecord {
    /// The kind; 1 for one that is rebuilt.
    var kind: UInt8
    var flags: UInt8 = 0
    var level: UInt8 = 0
    var template: UInt64 = 0
    /// The one stream of a record of bytes; otherwise the ends, the bodies, the block ends and the index.
    var streams: [PatchStream] = []
    var dictionaries: [(bases: [UInt64], contents: PatchStream)] = []
    var chunks: [PatchChunk] = []
    /// Whether all of it could be taken apart.
    private(set) var isWhole = true

    /// The places of the streams.
    static let (ends, index) = (0, 3)

    /// Reads a record as far as it can be taken apart; nil for one of unknown kind.
    init?(_ input: inout PatchInput, _ old: OldBodies, fullLength: Int) {
        guard let first = try? input.bytes(1).first, first <= 1 else { return nil }
        kind = first
        // Bytes that cannot be read are the tail of the patch.
        do throws(ArchiveError) { try read(&input, old, fullLength) } catch { isWhole = false }
    }

    private mutating func read(_ input: inout PatchInput, _ old: OldBodies, _ fullLength: Int) throws(ArchiveError) {
        if kind == 0 { return streams.append(try PatchStream(packed: &input, against: [])) }
        (flags, level) = (try input.bytes(1)[0], try input.bytes(1)[0])
        template = try input.number(atMost: .max)
        let image = try CommitImage(old.stored, Int(min(template, UInt64(old.stored.layouts.count - 1))))
        let places = IndexStream(classes: image.classes, derivesHashTable: flags & 1 == 1)
        for other in [
            try image.ends(withTree: false), [], CommitDiffer.numbers(try image.contents().endsOfBodies),
            try places.encode(image.index(), ranks: image.ranks.ranks),
        ] { streams.append(try PatchStream(packed: &input, against: other)) }
        try readBlocks(&input, old, fullLength)
    }

    private mutating func readBlocks(
        _ input: inout PatchInput, _ old: OldBodies, _ fullLength: Int
    ) throws(ArchiveError) {
        let decoded = streams.compactMap(\.decoded)
        guard decoded.count == 4 else {
            isWhole = false
            return
        }
        let ends = try CommitEnds(
            decoded[0], at: decoded[0].number(at: 32, width: 8), withTree: flags & 2 == 0)
        guard ends.indexLength <= 1 << 20 else {
            isWhole = false
            return
        }
        let bodies = try BodyOrigins(decoded[1], old, count: Int(ends.classes[.body]?.rowCount ?? 0))
        var numbers = NumberCursor(decoded[2])
        var endsOfBodies: [Int] = []
        for _ in 0..<(try numbers.number(atMost: decoded[2].count)) {
            endsOfBodies.append(try numbers.number(atMost: 1 << 32))
        }
        let contents = try CommitContents(
            bodyLengths: bodies.lengths, endsOfBodies: endsOfBodies, fullLength: fullLength)
        var index = IndexImage(
            bytes: [UInt8](repeating: 0, count: Int(ends.indexLength)),
            firstBody: Int64(ends.classes[.body]?.firstRow ?? 0))
        let references = try IndexStream(classes: ends.classes, derivesHashTable: flags & 1 == 1)
            .decode(decoded[3], into: &index)
        var apart: Set<Int> = []
        for reference in references[.dictionaryBody] ?? [] {
            let rank = Int(reference &- index.firstBody &- 1)
            guard bodies.origins.indices.contains(rank) else {
                isWhole = false
                return
            }
            apart.insert(rank)
        }
        for rank in apart.sorted() where !bodies.origins[rank].isSame {
            var bases: [UInt64] = []
            for _ in 0..<(try input.number(atMost: 16)) { bases.append(try input.number(atMost: .max)) }
            let rows = bases.filter { $0 < UInt64(old.ranks.rows.count) }.map { old.ranks.rows[Int($0)] }
            dictionaries.append(
                (
                    bases,
                    try PatchStream(
                        frame: &input, prefix: PatchedDictionaries.prefix(bodies.origins[rank], rows, old),
                        length: Int(bodies.lengths[rank]))
                ))
        }
        var walk = ChunkWalk(contents, bodies.origins, apart: apart)
        while !walk.isAtEnd { chunks.append(try PatchChunk(&input, &walk, old)) }
    }

    func encoded() -> [UInt8] {
        var bytes = [kind]
        if kind == 1 {
            bytes += [flags, level]
            bytes.appendNumber(template)
        }
        for stream in streams { bytes += stream.encoded() }
        for (bases, contents) in dictionaries {
            bytes.appendNumber(UInt64(bases.count))
            for base in bases { bytes.appendNumber(base) }
            bytes += contents.encoded()
        }
        for chunk in chunks { bytes += chunk.encoded() }
        return bytes
    }
}
