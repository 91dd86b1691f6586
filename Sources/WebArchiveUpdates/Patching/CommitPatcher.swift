// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// A reader of the record of one commit, which writes the commit. Patch specification sections 3 to 5.
struct CommitPatcher {
    let old: OldBodies
    /// The streams of old commits, shared by the records of the patch.
    let templates: OldTemplates
    /// The new archive, up to the beginning of the commit.
    let output: PatchedFile
    /// The decoded length of a full block of the new archive, in bytes.
    let fullLength: Int
    /// The number of threads, of which contents take at most four.
    let threads: Int

    /// Reads the record.
    func run(_ input: inout PatchInput, progress: (Int) -> Void) throws(ArchiveError) {
        let kind = try input.bytes(1)[0]
        switch CommitDiffer.Kind(rawValue: kind) {
        case .bytes: try bytes(&input)
        case .structured: try structured(&input, progress: progress)
        case nil: throw .damaged("unknown record type \(kind) in the patch")
        }
    }

    /// Reads a record of kind 0: all bytes of the commit, coded against those of the old archive from the same offset on.
    private func bytes(_ input: inout PatchInput) throws(ArchiveError) {
        let (source, start) = (old.stored.source, output.length)
        let length = old.stored.committedLength
        try PackedStream.read(
            &input, atMost: FormatLimits.maximumFileLength, oldLength: Int(length - min(start, length)),
            DeltaCoder(),
            old: { range throws(ArchiveError) in
                range.isEmpty ? [] : try source.bytes(at: start + UInt64(range.lowerBound), count: range.count)
            },
            take: { piece throws(ArchiveError) in try output.append(piece) })
    }

    /// Reads a record of kind 1, and writes the sections of the commit in their order.
    ///
    /// Each stated length and number of rows is checked before memory is taken for it.
    ///
    /// - Throws: `damaged`; `limitExceeded` for more than a reader has to accept (patch specification sections 3 and 6).
    private func structured(_ input: inout PatchInput, progress: (Int) -> Void) throws(ArchiveError) {
        let flags = CommitDiffer.Flags(rawValue: try input.bytes(1)[0])
        let level = try LevelSearch.level(input.bytes(1)[0])
        let derivesHashTable = flags.contains(.derivesHashTable)
        let template = try templates.streams(
            of: Int(input.number(atMost: UInt64(old.stored.layouts.count - 1))), derivesHashTable: derivesHashTable)
        let coder = DeltaCoder()
        let limit = Self.streamLimit(input, old.stored)
        let ends = try CommitEnds(
            PackedStream.read(&input, atMost: limit, against: template.ends, coder),
            at: output.length, withTree: !flags.contains(.derivesTree))
        guard ends.indexLength <= limit, ends.sections[.merkleTree]?.extent.length ?? 0 <= limit else {
            throw ArchiveError(
                .limitExceeded, "the index of the patch has \(ends.indexLength) bytes; the limit is \(limit)")
        }
        // References are held in memory, eight bytes each.
        var left = limit / 8
        for owner in IndexStream.references.map(\.owner) {
            let count = UInt64(ends.classes[owner]?.rowCount ?? 0)
            guard count <= left else {
                throw ArchiveError(.limitExceeded, "the patch has \(count) rows of \(owner.name); the limit is \(left)")
            }
            left -= count
        }
        let bodyCount = try Self.bodyCount(ends)
        let blockCount = try blockCount(ends, bodyCount, input)
        // Each takes some 150 bytes of memory, and a fraction of a byte of the patch.
        guard UInt64(bodyCount) + UInt64(blockCount) <= limit / 128 else {
            throw ArchiveError(
                .limitExceeded,
                "the patch has \(bodyCount) bodies and \(blockCount) blocks; the limit is \(limit / 128) in total")
        }
        let origins = try BodyOrigins(
            PackedStream.read(&input, atMost: min(limit, BodyOrigins.longest(bodyCount)), against: [], coder), old,
            count: bodyCount)
        let blockEnds = try Self.numbers(
            PackedStream.read(
                &input, atMost: min(limit, Self.maximumNumberLength * (UInt64(blockCount) + 1)),
                against: template.blockEnds, coder),
            count: blockCount)
        let contents = try CommitContents(
            bodyLengths: origins.lengths, endsOfBodies: blockEnds, fullLength: fullLength)
        try old.limits.add(contents)
        let stream = IndexStream(classes: ends.classes, derivesHashTable: derivesHashTable)
        var image = IndexImage(
            bytes: [UInt8](repeating: 0, count: Int(ends.indexLength)),
            firstBody: Int64(ends.classes[.body]?.firstRow ?? 0))
        let references = try stream.decode(
            PackedStream.read(&input, atMost: limit, against: template.index, coder), into: &image)
        let dictionaries = try PatchedDictionaries(
            &input, origins, references[.dictionaryBody] ?? [], firstBody: image.firstBody, old, coder)
        let codings = try image.values(.blockCoding, of: ends.classes, count: blockCount).map {
            (coding) throws(ArchiveError) in
            guard let coding = BlockCoding(rawValue: coding) else {
                throw .damaged("the coding \(coding) of a block of the patch is neither 0 nor 1")
            }
            return coding
        }
        var blocks = try ChunkPatcher(
            old: old, contents: contents, origins: origins.origins, dictionaries: dictionaries, level: level,
            codings: codings,
            blockDictionaries: image.values(.blockDictionary, of: ends.classes, count: blockCount).map {
                $0 == 0 ? nil : Self.row($0, behind: ends.classes[.dictionary]?.firstRow ?? 0)
            })
        for section in ends.sections.sections {
            guard output.length == section.extent.offset else {
                throw .damaged(
                    "the blocks of the patch end at byte \(output.length), expected \(section.extent.offset)")
            }
            switch section.kind {
            case .blocks: try blocks.run(&input, to: output, threads: threads, progress: progress)
            case .index:
                try DerivedIndex(
                    classes: ends.classes, contents: contents, digests: blocks.digests,
                    storedLengths: blocks.storedLengths, checksums: blocks.checksums,
                    firstBlock: Int64(ends.classes[.block]?.firstRow ?? 0)
                ).write(references, derivesHashTable: derivesHashTable, into: &image)
                try output.append(image.bytes)
            case .indexSums: try output.append(CommitImage.sums(image.bytes))
            default:
                try output.append(ends.bytes(section.kind) ?? [UInt8](repeating: 0, count: Int(section.extent.length)))
            }
        }
        try output.append(ends.end)
        if flags.contains(.derivesTree) { try writeTree(ends) }
    }

    /// Returns the row within the commit that a reference names, −1 for one of an earlier commit.
    private static func row(_ reference: Int64, behind firstRow: UInt32) -> Int {
        reference > Int64(firstRow) ? Int(reference - 1 - Int64(firstRow)) : -1
    }

    /// Computes the tree, once all parts that it covers are complete.
    private func writeTree(_ ends: CommitEnds) throws(ArchiveError) {
        // A tree covers all commits since the last statement: with one in each of these records, none is hashed twice.
        guard let section = ends.sections[.merkleTree],
            SignedStatement(decoding: ends.bytes(.signature) ?? [], footer: ends.footer) != nil
        else { throw .damaged("the patch requires a hash tree or a statement that is missing") }
        try output.flush()
        let tree = try CommitTree.bytes(
            ofLastCommit: ends.footer, in: output.contents(), threads: threads)
        guard UInt64(tree.count) == section.extent.length else {
            throw .damaged("the hash tree of the patch has \(section.extent.length) bytes, expected \(tree.count)")
        }
        try output.overwrite(tree, at: section.extent.offset)
    }

    // MARK: - Rows

    /// Returns the maximum length of a stream, and of a section that is held in memory: a valid patch can describe no more.
    private static func streamLimit(_ input: PatchInput, _ old: StoredArchive) -> UInt64 {
        let indexes = old.commits.reduce(0) { $0 + $1.indexLength }
        return 16 << 20 + 32 * input.remaining + 4 * indexes
    }

    /// The maximum length of a number, in bytes.
    static let maximumNumberLength: UInt64 = 10

    /// Returns the number of bodies of the commit, by its class table: each has its digest in the index.
    private static func bodyCount(_ ends: CommitEnds) throws(ArchiveError) -> Int {
        let count = UInt64(ends.classes[.body]?.rowCount ?? 0)
        guard count <= ends.indexLength / UInt64(ContentDigest.length) else {
            throw .damaged("the index of \(ends.indexLength) bytes is too short for its \(count) bodies")
        }
        return Int(count)
    }

    /// Returns the number of blocks of the commit, by its class table: each holds the end of a body, or is a full one of a chunk, which takes
    /// four bytes of the patch.
    private func blockCount(
        _ ends: CommitEnds, _ bodyCount: Int, _ input: PatchInput
    ) throws(ArchiveError) -> Int {
        let count = UInt64(ends.classes[.block]?.rowCount ?? 0)
        let chunks = UInt64(ContentChunk.longest / fullLength)
        guard count <= UInt64(bodyCount) + chunks * (input.remaining / 4) else {
            throw .damaged("the patch is too short for its \(count) blocks")
        }
        return Int(count)
    }

    /// Reads the stream *block ends*.
    ///
    /// - Parameter count: the number of blocks, by the class table.
    /// - Throws: `damaged` for a different number of values, and for values beyond 32 bits.
    private static func numbers(_ stream: [UInt8], count: Int) throws(ArchiveError) -> [Int] {
        var cursor = NumberCursor(stream)
        let rowCount = try cursor.number(atMost: Int(UInt32.max))
        guard rowCount == count else {
            throw .damaged("the patch has \(rowCount) rows of \(IndexClass.block.name), expected \(count)")
        }
        var numbers: [Int] = []
        numbers.reserveCapacity(count)
        for _ in 0..<count { numbers.append(try cursor.number(atMost: Int(UInt32.max))) }
        guard cursor.isAtEnd else { throw .damaged("trailing bytes after the blocks of the patch") }
        return numbers
    }
}
