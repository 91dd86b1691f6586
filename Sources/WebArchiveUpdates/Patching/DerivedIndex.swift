// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// The parts of an index that are derived from bodies, blocks and keys, so that a patch need not contain them. Patch specification section 4.
struct DerivedIndex {
    /// The class table of the commit.
    let classes: ClassTable
    /// The lengths of bodies and blocks.
    let contents: CommitContents
    /// The digests of the bodies, by rank.
    let digests: [ContentDigest]
    /// The lengths of the stored blocks, in bytes.
    let storedLengths: [Int]
    /// The CRCs of the stored blocks.
    let checksums: [UInt32]
    /// The number of blocks of all earlier commits.
    let firstBlock: Int64

    /// Writes all derived parts into an index that has the rest.
    ///
    /// - Parameters:
    ///   - references: the values of ``IndexStream/references``, bodies by rank.
    ///   - derivesHashTable: whether the hash table follows from the keys.
    /// - Throws: `damaged` where the class table has no room for it.
    func write(
        _ references: [IndexKey: [Int64]], derivesHashTable: Bool, into image: inout IndexImage
    ) throws(ArchiveError) {
        let bodies = BodyRanks(digests: digests)
        try writeBodies(bodies.ranks, into: &image)
        try writeBlocks(into: &image)
        for (key, values) in references {
            let renumbered = values.map { image.renumbered($0, by: bodies.rows) }
            try image.write(key, of: classes, count: values.count) { renumbered[$0] }
        }
        if derivesHashTable { try writeHashTable(into: &image) }
    }

    /// Writes the columns of `Body`, in the order of the digests.
    ///
    /// - Parameter ranks: the ranks of the bodies, by row.
    /// - Throws: `damaged` if the class table has bodies without a digest.
    private func writeBodies(_ ranks: [UInt32], into image: inout IndexImage) throws(ArchiveError) {
        let places = contents.places()
        let count = ranks.count
        try image.write(.bodyBlock, of: classes, count: count) { row in
            places[Int(ranks[row])].map { firstBlock + Int64($0.block) + 1 } ?? 0
        }
        try image.write(.bodyOffset, of: classes, count: count) { Int64(places[Int(ranks[$0])]?.offset ?? 0) }
        try image.write(.bodyLength, of: classes, count: count) { Int64(contents.bodyLengths[Int(ranks[$0])]) }
        guard count > 0 else { return }
        guard let table = classes[.body], let key = table.keys.first(where: { $0.key == .bodyDigest }) else {
            throw .damaged("the patch has bodies without a digest")
        }
        for row in 0..<count {
            let digest = digests[Int(ranks[row])]
            let place = Int(table.rows.offset) + row * table.rowWidth + key.offset
            for (position, byte) in digest.bytes.enumerated() { image.bytes[place + position] = byte }
        }
    }

    /// Writes the columns of `Block`. Offsets count from the start of `BLKS`, without gaps.
    private func writeBlocks(into image: inout IndexImage) throws(ArchiveError) {
        var (offsets, end) = ([Int64](), Int64(0))
        for length in storedLengths {
            offsets.append(end)
            end += Int64(length)
        }
        let count = storedLengths.count
        try image.write(.blockOffset, of: classes, count: count) { offsets[$0] }
        try image.write(.blockLength, of: classes, count: count) { Int64(contents.blockLengths[$0]) }
        try image.write(.blockChecksum, of: classes, count: count) { Int64(checksums[$0]) }
    }

    /// Puts the keys into buckets by specification section 8.4, in the order of the rows of `Entry`.
    private func writeHashTable(into image: inout IndexImage) throws(ArchiveError) {
        let slots = HashSlots(try keyHashes(image))
        try image.write(.slotEntry, of: classes, count: slots.slots.count) { Int64(slots.slots[$0].entry) }
        try image.write(.slotTag, of: classes, count: slots.slots.count) { Int64(slots.slots[$0].hash >> 24) }
        try image.write(.bucketFirst, of: classes, count: slots.bucketStarts.count) { Int64(slots.bucketStarts[$0]) }
    }

    /// Returns the hash and the first row of each key.
    private func keyHashes(_ image: IndexImage) throws(ArchiveError) -> [HashSlots.Slot] {
        let count = Int(classes[.entry]?.rowCount ?? 0)
        guard count > 0, let table = classes[.keyBlock], let key = table.keys.first(where: { $0.key == .keyBlockKeys })
        else { return [] }
        let expected = (count + FormatLimits.keysPerBlock - 1) / FormatLimits.keysPerBlock
        guard Int(table.rowCount) == expected else {
            throw .damaged(
                "the patch has \(table.rowCount) rows of \(IndexClass.keyBlock.name), expected \(expected)")
        }
        var (slots, last) = ([HashSlots.Slot](), [UInt8]())
        for block in 0..<Int(table.rowCount) {
            let start = try image.value(key, table, block)
            let end =
                try block + 1 < Int(table.rowCount) ? image.value(key, table, block + 1) : Int64(table.heap.length)
            guard start >= 0, start <= end, end <= Int64(table.heap.length) else {
                throw .damaged("the keys of the patch overlap")
            }
            let heap = Int(table.heap.offset)
            let text = Array(image.bytes[heap + Int(start)..<heap + Int(end)])
            let first = block * FormatLimits.keysPerBlock
            try text.withBytes { (bytes) throws(ArchiveError) in
                var cursor = KeyBlock.Cursor(bytes)
                var key: [UInt8] = []
                for row in first..<min(first + FormatLimits.keysPerBlock, count) {
                    let (shared, rest) = try cursor.next()
                    key.removeSubrange(shared...)
                    key.append(contentsOf: rest)
                    if row == 0 || key != last {
                        // A key that comes back later would have two slots.
                        guard row == 0 || last.lexicographicallyPrecedes(key) else {
                            throw .damaged("the keys of the patch are out of order")
                        }
                        slots.append(HashSlots.Slot(hash: Checksum.of(key), entry: UInt32(row)))
                    }
                    last = key
                }
            }
        }
        return slots
    }
}
