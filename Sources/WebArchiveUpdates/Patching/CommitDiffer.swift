// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// A writer of the record of one commit of the new archive. Patch specification sections 3 to 5.
struct CommitDiffer {
    /// The number of the old archive's commit from which the rows are derived: the one with the most entries.
    let template: Int
    let old: OldBodies
    let new: CommitImage
    let options: ArchiveDiffer.Options
    /// The stored blocks of the old archive.
    let oldBlocks: OldBlocks

    /// The kinds of record.
    enum Kind: UInt8 { case bytes, structured }

    /// The flags of a structured record.
    struct Flags: OptionSet {
        let rawValue: UInt8
        /// Bit 0: the hash table follows from the keys, and is left out.
        static let derivesHashTable = Flags(rawValue: 1)
        /// Bit 1: the tree follows from the parts that it covers, and is left out.
        static let derivesTree = Flags(rawValue: 2)
    }

    /// Appends the record.
    ///
    /// - Throws: as ``ChunkDiffer/run(_:progress:)``.
    func run(
        _ sink: PatchSink, _ templates: OldTemplates, _ search: OriginSearch, progress: (Int) -> Void
    ) throws(ArchiveError) -> CommitSummary {
        guard let plan = try plan(search) else { return try bytes(sink) }
        let coder = DeltaCoder()
        let level = options.level
        try sink.append([Kind.structured.rawValue, plan.flags.rawValue, plan.level])
        try sink.number(template)
        let streams = try templates.streams(of: template, derivesHashTable: plan.flags.contains(.derivesHashTable))
        let withTree = !plan.flags.contains(.derivesTree)
        try PackedStream.append(
            new.ends(withTree: withTree), against: streams.ends, to: sink, coder, level: level)
        let origins = BodyOrigins(origins: plan.origins, lengths: plan.contents.bodyLengths)
        try PackedStream.append(origins.encoded(old), against: [], to: sink, coder, level: level)
        let ends = Self.numbers(plan.contents.endsOfBodies)
        try PackedStream.append(
            ends, against: streams.blockEnds, to: sink, coder, level: level)
        try PackedStream.append(plan.index, against: streams.index, to: sink, coder, level: level)
        try appendDictionaries(plan, to: sink, coder)
        return try ChunkDiffer(differ: self, plan: plan).run(sink, progress: progress)
    }

    /// Appends the dictionaries that the old archive does not have.
    private func appendDictionaries(
        _ plan: Plan, to sink: PatchSink, _ coder: DeltaCoder
    ) throws(ArchiveError) {
        let ranks = plan.apart.sorted().filter { !plan.origins[$0].isSame }
        guard !ranks.isEmpty else { return }
        let pages = try DictionaryBases(new, plan.contents, threads: options.threads)
        for rank in ranks {
            let dictionary = try new.archive.archiveBody(new.row(rank)).bytes()
            let bases = pages.bodies(in: dictionary).compactMap {
                plan.apart.contains($0) ? nil : plan.origins[$0].oldRow
            }
            try sink.number(bases.count)
            for row in bases { try sink.number(old.ranks.ranks[Int(row)]) }
            let prefix = try PatchedDictionaries.prefix(plan.origins[rank], bases, old)
            try sink.frame(coder.encode(dictionary, prefix: prefix, level: options.level))
        }
    }

    /// Returns the stream *block ends*: the number of values, then the values, LEB128.
    static func numbers(_ values: [Int]) -> [UInt8] {
        var stream: [UInt8] = []
        stream.appendNumber(UInt64(values.count))
        for value in values { stream.appendNumber(UInt64(value)) }
        return stream
    }

    // MARK: - Commits that are not taken apart

    /// Appends the bytes of the commit, coded against the same offsets of the old archive.
    private func bytes(_ sink: PatchSink) throws(ArchiveError) -> CommitSummary {
        let footer = new.layout.footer
        let (source, old, oldLength) = (new.archive.source, old.stored.source, self.old.stored.committedLength)
        let start = Int(footer.commitStart)
        try sink.append([Kind.bytes.rawValue])
        try PackedStream.append(
            length: Int(footer.end) - start, oldLength: max(0, Int(oldLength) - start), to: sink, DeltaCoder(),
            level: options.level,
            bytes: { range throws(ArchiveError) in
                try source.bytes(at: UInt64(start + range.lowerBound), count: range.count)
            },
            old: { range throws(ArchiveError) in
                range.isEmpty ? [] : try old.bytes(at: UInt64(start + range.lowerBound), count: range.count)
            })
        return CommitSummary()
    }

    // MARK: - Planning

    /// The parts of a structured record.
    struct Plan {
        /// The lengths of bodies and blocks.
        let contents: CommitContents
        /// The origins of the bodies, by rank.
        let origins: [BodyOrigin]
        /// The ranks of the bodies that are dictionaries of the commit.
        let apart: Set<Int>
        /// The stream of the index.
        let index: [UInt8]
        /// The parts that the record leaves out.
        let flags: Flags
        /// The level of LZ4: 0 is the fast one.
        let level: UInt8
    }

    /// Plans a structured record; nil for a commit that would not be reproduced byte for byte.
    private func plan(_ search: OriginSearch) throws(ArchiveError) -> Plan? {
        do throws(ArchiveError) {
            guard CommitEnds.isInOrder(new.layout.sections, new.layout.footer), try areBlocksAll() else { return nil }
            let contents = try new.contents()
            try old.limits.add(contents)
            let rebuilt = try CommitContents(
                bodyLengths: contents.bodyLengths, endsOfBodies: contents.endsOfBodies, fullLength: contents.fullLength)
            guard rebuilt.blockLengths == contents.blockLengths else { return nil }
            guard let apart = try dictionaries() else { return nil }
            var flags: Flags = .derivesHashTable
            var index = try index(contents, derivesHashTable: true)
            if index == nil {
                flags = []
                index = try self.index(contents, derivesHashTable: false)
            }
            guard let index else { return nil }
            if try isTreeDerived() { flags.insert(.derivesTree) }
            return Plan(
                contents: contents, origins: try search.origins(of: new), apart: apart, index: index, flags: flags,
                level: try LevelSearch(new, old.limits).run())
        } catch {
            // An archive that breaks a rule is kept unchanged.
            guard error.code == .damaged || error.code == .limitExceeded else { throw error }
            return nil
        }
    }

    /// Returns whether the section of the blocks has their stored bytes and no others: bytes without a row of a block have no source.
    private func areBlocksAll() throws(ArchiveError) -> Bool {
        var length: UInt64 = 0
        for row in new.archive.rows(.block, ofCommit: new.number) { length += try new.archive.block(row).stored.length }
        return length == new.layout.sections[.blocks]?.extent.length ?? 0
    }

    /// The maximum length of dictionaries that a patch holds in memory.
    static let maximumDictionariesLength = 64 << 20

    /// Returns the ranks of the commit's dictionaries; nil if there are too many, or blocks use those of other commits that the old archive lacks.
    private func dictionaries() throws(ArchiveError) -> Set<Int>? {
        let bodies = new.archive.rows(.body, ofCommit: new.number)
        var (ranks, length) = (Set<Int>(), 0)
        for row in new.archive.rows(.dictionary, ofCommit: new.number) {
            guard let body = try new.archive.dictionaryBody(row), bodies.contains(body) else { return nil }
            if ranks.insert(Int(new.ranks.ranks[body - bodies.lowerBound])).inserted {
                length += Int(try new.archive.archiveBody(body).length)
            }
        }
        let own = new.archive.rows(.dictionary, ofCommit: new.number)
        for row in new.archive.rows(.block, ofCommit: new.number) {
            if let dictionary = try new.archive.block(row).dictionary, !own.contains(dictionary) { return nil }
        }
        return length <= Self.maximumDictionariesLength ? ranks : nil
    }

    /// Returns the stream of the index, if all omitted parts can be derived; nil otherwise.
    private func index(
        _ contents: CommitContents, derivesHashTable: Bool
    ) throws(ArchiveError) -> [UInt8]? {
        let real = try new.index()
        let stream = IndexStream(classes: new.classes, derivesHashTable: derivesHashTable)
        var (digests, lengths, checksums) = ([ContentDigest](), [Int](), [UInt32]())
        for rank in new.ranks.rows.indices { digests.append(try new.archive.archiveBody(new.row(rank)).digest) }
        let blocks = new.archive.rows(.block, ofCommit: new.number)
        for row in blocks {
            let block = try new.archive.block(row)
            lengths.append(Int(block.stored.length))
            checksums.append(block.checksum)
        }
        var image = IndexImage(bytes: [UInt8](repeating: 0, count: real.bytes.count), firstBody: real.firstBody)
        do throws(ArchiveError) {
            let encoded = try stream.encode(real, ranks: new.ranks.ranks)
            let references = try stream.decode(encoded, into: &image)
            try DerivedIndex(
                classes: new.classes, contents: contents, digests: digests, storedLengths: lengths,
                checksums: checksums, firstBlock: Int64(blocks.lowerBound)
            ).write(references, derivesHashTable: derivesHashTable, into: &image)
            let sums = try new.bytes(.indexSums)
            return image.bytes == real.bytes && CommitImage.sums(real.bytes) == sums ? encoded : nil
        } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    /// Returns whether a patcher can compute the tree of the commit; false without a tree. It costs hashing all that the tree covers.
    private func isTreeDerived() throws(ArchiveError) -> Bool {
        // A tree covers all commits since the last statement: with one in each of these records, none is hashed twice.
        guard new.layout.sections[.merkleTree] != nil,
            SignedStatement(decoding: try new.bytes(.signature), footer: new.layout.footer) != nil
        else { return false }
        do throws(ArchiveError) {
            let tree = try CommitTree.bytes(
                ofCommit: new.number, in: new.archive.reader, threads: options.threads)
            let stored = try new.bytes(.merkleTree)
            return tree == stored
        } catch {
            guard error.code == .untrusted else { throw error }
            return false
        }
    }
}

/// The counts of a record.
struct CommitSummary {
    /// The number of bodies that equal those of the old archive.
    var sameBodies = 0
    /// The number of bodies that are coded against others.
    var changedBodies = 0
    /// The number of new bodies.
    var newBodies = 0
    /// The length of literal blocks.
    var literalLength: UInt64 = 0
}
