// SPDX-License-Identifier: Apache-2.0

import Crypto
import Synchronization
import WebArchiveFormat

/// The tree of a signed commit, read and proved group by group on demand. Specification section 13.2.
final class HashTree: Sendable {
    private struct Group: Hashable {
        let level: Int
        let number: UInt64
    }

    private let source: any ByteSource
    private let section: FileExtent
    private let shape: TreeShape
    private let root: [UInt8]
    /// The proved groups, with their hashes.
    private let proved = Mutex<[Group: [UInt8]]>([:])

    /// The number of groups that are kept, of 4 KiB each: a tree of 500,000 leaves. Beyond that all are dropped, and proved again.
    private static let keptCount = 4096

    /// Creates a tree with a root. It reads nothing yet.
    ///
    /// - Throws: `untrusted` if the section is not as long as a tree of so many leaves.
    init(_ source: any ByteSource, _ section: FileExtent, leafCount: UInt64, root: [UInt8]) throws(ArchiveError) {
        shape = try TreeShape(leafCount: leafCount)
        guard section.length == shape.length else {
            throw ArchiveError(
                .untrusted, "the hash tree has \(section.length) bytes, which do not fit its \(leafCount) leaves",
                offset: section.offset)
        }
        (self.source, self.section, self.root) = (source, section, root)
    }

    /// Returns whether a leaf of the tree has this hash. Its number must be in the tree.
    ///
    /// Costs the reading of a group of 4 KiB for each level that was not proved before.
    func contains(_ hash: SHA256Digest, at leaf: UInt64) throws(ArchiveError) -> Bool {
        try contains(hash, level: 0, number: leaf)
    }

    /// All groups, those nearest to the root first, with their positions in the file.
    var groups: [(level: Int, number: UInt64, range: Range<UInt64>)] {
        var groups: [(level: Int, number: UInt64, range: Range<UInt64>)] = []
        let hashLength = UInt64(TreeShape.hashLength)
        for (level, description) in shape.levels.enumerated().reversed() {
            for number in 0..<(description.count + UInt64(TreeShape.groupLength) - 1) / UInt64(TreeShape.groupLength) {
                let places = shape.group(number, ofLevel: level)
                let start = section.offset + places.lowerBound * hashLength
                groups.append((level, number, start..<section.offset + places.upperBound * hashLength))
            }
        }
        return groups
    }

    /// Returns whether hashes are those of a group, by the level above it.
    func isGroup(_ hashes: [UInt8], level: Int, number: UInt64) throws(ArchiveError) -> Bool {
        try contains(TreeHash.group(level, hashes), level: level + 1, number: number)
    }

    private func contains(_ hash: SHA256Digest, level: Int, number: UInt64) throws(ArchiveError) -> Bool {
        guard level < shape.levels.count else { return hash.elementsEqual(root) }
        guard number < shape.levels[level].count else { return false }
        let group = Group(level: level, number: number / UInt64(TreeShape.groupLength))
        let start = Int(number % UInt64(TreeShape.groupLength)) * TreeShape.hashLength
        func isEqual(_ hashes: [UInt8]) -> Bool { hash.elementsEqual(hashes[start..<start + TreeShape.hashLength]) }
        if let known = proved.withLock({ $0[group] }) { return isEqual(known) }
        let places = shape.group(group.number, ofLevel: level)
        let hashLength = UInt64(TreeShape.hashLength)
        let hashes = try source.bytes(
            at: section.offset + places.lowerBound * hashLength, count: places.count * TreeShape.hashLength)
        guard isEqual(hashes),
            try contains(TreeHash.group(level, hashes), level: level + 1, number: group.number)
        else { return false }
        proved.withLock { proved in
            if proved.count >= Self.keptCount { proved.removeAll() }
            proved[group] = hashes
        }
        return true
    }
}
