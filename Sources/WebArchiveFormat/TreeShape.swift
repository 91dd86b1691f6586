// SPDX-License-Identifier: Apache-2.0

/// The levels of a tree with a number of leaves. Specification section 13.2.
package struct TreeShape: Equatable, Sendable {
    /// The length of a hash, in bytes.
    package static let hashLength = 32
    /// The number of hashes of a group, which has one hash on the level above.
    package static let groupLength = 128
    /// The length of a piece of a section that is not a block, in bytes; the last one may be shorter.
    package static let pieceLength: UInt64 = 65_536

    /// A level of the tree.
    package struct Level: Equatable, Sendable {
        /// The position of its first hash among all stored hashes.
        package let start: UInt64
        /// The number of its hashes.
        package let count: UInt64
    }

    /// The stored levels, from the leaves up; the root is above the last one.
    package let levels: [Level]
    /// The length of the stored hashes, in bytes.
    package let length: UInt64

    /// Creates the shape of a tree.
    ///
    /// - Throws: `limitExceeded` for fewer than 2 leaves, and for more than a file can hold.
    package init(leafCount: UInt64) throws(ArchiveError) {
        guard leafCount >= 2, leafCount < FormatLimits.maximumFileLength / UInt64(Self.hashLength) else {
            throw ArchiveError(.limitExceeded, "a hash tree of \(leafCount) leaves exceeds the limit")
        }
        var levels: [Level] = []
        var (start, count) = (UInt64(0), leafCount)
        while count > 1 {
            levels.append(Level(start: start, count: count))
            start += count
            count = (count + UInt64(Self.groupLength) - 1) / UInt64(Self.groupLength)
        }
        self.levels = levels
        length = start * UInt64(Self.hashLength)
    }

    /// Finds the hashes of a group, as positions among all stored hashes.
    package func group(_ number: UInt64, ofLevel level: Int) -> Range<UInt64> {
        let level = levels[level]
        let first = number * UInt64(Self.groupLength)
        return level.start + first..<level.start + min(first + UInt64(Self.groupLength), level.count)
    }
}
