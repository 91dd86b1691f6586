// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A comparison of bodies of one archive with bodies of another, byte by byte.
///
/// Blocks with equal stored bytes decode to equal bytes, so that editions of one site are compared in stored form. Specification section 5.
package struct BodyComparison {
    /// The blocks of the first archive with the same stored bytes as a block of the second.
    private var sameBlocks: [RowPlace: RowPlace] = [:]
    /// The number of bytes that may still be decoded or compared, where a visit to a block counts as 64. Bodies can overlap, and an archive
    /// can consist only of overlaps.
    private var left: UInt64
    /// The block of each that was decoded last, which a store keeps.
    private var last: (RowPlace?, RowPlace?)

    /// - Parameter archive: the first archive.
    package init(_ archive: StoredArchive) {
        left = archive.fileLength.multipliedSaturated(by: 64).addingSaturated(256 << 20)
    }

    /// Returns whether two bodies of one length are equal. False as well once the limit of decoding and comparing is exceeded.
    ///
    /// - Throws: `damaged`, `io`.
    package mutating func areEqual(_ body: ArchiveBody, _ other: ArchiveBody) throws(ArchiveError) -> Bool {
        guard let start = body.start, let otherStart = other.start else { return body.length == other.length }
        if try areStoredAlike(body, start, other, otherStart) { return true }
        var cost = body.length
        if last.0 != start.block { cost = cost.addingSaturated(UInt64(body.blockLength)) }
        if last.1 != otherStart.block { cost = cost.addingSaturated(UInt64(other.blockLength)) }
        guard take(cost) else { return false }
        last = (start.block, otherStart.block)
        return try body.equals(other)
    }

    private mutating func take(_ cost: UInt64) -> Bool {
        guard cost <= left else { return false }
        left -= cost
        return true
    }

    /// Returns whether the stored blocks of two bodies are equal, with the bodies at the same positions in them.
    private mutating func areStoredAlike(
        _ body: ArchiveBody, _ start: (block: RowPlace, offset: Int), _ other: ArchiveBody,
        _ otherStart: (block: RowPlace, offset: Int)
    ) throws(ArchiveError) -> Bool {
        guard start.offset == otherStart.offset else { return false }
        let first = try body.store.describe(start.block)
        if UInt64(start.offset) + body.length <= UInt64(first.length) {
            return try areStoredAlike(first, body, other.store.describe(otherStart.block), other)
        }
        guard body.blockLength == other.blockLength else { return false }
        let size = UInt64(body.blockLength)
        for number in 0..<(body.length + size - 1) / size {
            let (own, others) = try (
                body.store.part(number, of: body, from: start), other.store.part(number, of: other, from: otherStart)
            )
            guard try areStoredAlike(own, body, others, other) else { return false }
        }
        return true
    }

    private mutating func areStoredAlike(
        _ block: BlockStore.Description, _ body: ArchiveBody, _ other: BlockStore.Description, _ otherBody: ArchiveBody
    ) throws(ArchiveError) -> Bool {
        guard take(64) else { return false }
        if sameBlocks[block.place] == other.place { return true }
        guard block.length == other.length, block.coding == other.coding, block.checksum == other.checksum,
            block.stored.length == other.stored.length,
            take(block.stored.length), try haveSameDictionary(block, body.store, other, otherBody.store)
        else { return false }
        let bytes = try body.store.storedBytes(block)
        guard try bytes == otherBody.store.storedBytes(other) else { return false }
        sameBlocks[block.place] = other.place
        return true
    }

    private func haveSameDictionary(
        _ block: BlockStore.Description, _ store: BlockStore, _ other: BlockStore.Description, _ otherStore: BlockStore
    ) throws(ArchiveError) -> Bool {
        guard let own = block.dictionary, let others = other.dictionary else {
            return block.dictionary == nil && other.dictionary == nil
        }
        var areSame = false
        try store.dictionaryBytes(own).withBytes { (own) throws(ArchiveError) in
            try otherStore.dictionaryBytes(others).withBytes { (others) throws(ArchiveError) in
                areSame = own.isEqual(to: others)
            }
        }
        return areSame
    }
}
