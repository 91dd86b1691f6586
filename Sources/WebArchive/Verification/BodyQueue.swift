// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The bodies of an archive in the order of their blocks, some at a time.
///
/// The rows are sorted by digest, so the queue walks over all rows to pick each part. A part is an eighth of the rows, at least 131,072
/// and at most 524,288. Picking it takes memory for twice as many. Rows that cannot be read are left out; they have been reported.
struct BodyQueue {
    /// A body, in two words that sort by block, offset, length, row.
    struct Item: Comparable {
        private let position: UInt64
        private let rest: UInt64

        /// Packs the numbers of a body.
        init(block: Int, offset: Int, length: Int, row: Int) {
            position = UInt64(block) << 32 | UInt64(offset)
            rest = UInt64(min(length, Int(UInt32.max))) << 32 | UInt64(row)
        }

        /// The number of the first block, through all commits.
        var block: Int { Int(position >> 32) }
        /// The offset of the body in its first block, in bytes.
        var offset: Int { Int(truncatingIfNeeded: position & 0xFFFF_FFFF) }
        /// The length of the body, in bytes; 2^32 - 1 for any greater length.
        var length: Int { Int(rest >> 32) }
        /// The row of the body, through all commits.
        var row: Int { Int(truncatingIfNeeded: rest & 0xFFFF_FFFF) }

        /// Returns whether two bodies start at the same position.
        func hasSameBytes(as other: Item) -> Bool { position == other.position && rest >> 32 == other.rest >> 32 }

        static func < (left: Item, right: Item) -> Bool { (left.position, left.rest) < (right.position, right.rest) }
    }

    private let index: ArchiveIndex
    private let blockLength: Int
    private let capacity: Int
    private var last: Item?
    private var isAtEnd = false
    /// Whether some rows were unreadable.
    private(set) var hasUnreadableRows = false

    init(index: ArchiveIndex, blockLength: Int) {
        self.index = index
        self.blockLength = blockLength
        capacity = min(max(1 << 17, index.rowCount(.body) / 8), 1 << 19)
    }

    /// Returns the next bodies in order; none at the end.
    mutating func next() -> [Item] {
        guard !isAtEnd else { return [] }
        var items: [Item] = []
        var bound: Item?
        var dropped = false
        for commit in index.commits {
            let first = commit.firstRow(.body)
            for row in 0..<commit.rowCount(.body) {
                if row % 65_536 == 0 { index.trimPages() }
                guard let item = item(commit, row, first) else { continue }
                if let last, item <= last { continue }
                if let bound, bound < item { continue }
                items.append(item)
                guard items.count == 2 * capacity else { continue }
                items.sort()
                items.removeSubrange(capacity...)
                bound = items.last
                dropped = true
            }
        }
        items.sort()
        if items.count > capacity, dropped { items.removeSubrange(capacity...) }
        last = items.last ?? last
        isAtEnd = !dropped
        return items
    }

    private mutating func item(_ commit: CommitIndex, _ row: Int, _ first: Int) -> Item? {
        do throws(ArchiveError) {
            let block = try commit.count(.bodyBlock, row, atMost: Int(UInt32.max))
            if block == 0 || block - 1 < last?.block ?? 0 { return nil }
            let length = try commit.count(.bodyLength, row, atMost: Int(FormatLimits.maximumFileLength))
            guard length > 0 else { return nil }
            let offset = try commit.count(.bodyOffset, row, atMost: blockLength)
            return Item(block: block - 1, offset: offset, length: length, row: first + row)
        } catch {
            hasUnreadableRows = true
            return nil
        }
    }
}
