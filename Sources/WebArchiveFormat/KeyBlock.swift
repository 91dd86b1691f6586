// SPDX-License-Identifier: Apache-2.0

/// A coding of up to 16 sorted keys, each stored as its difference from the previous one. Specification section 8.3.
package enum KeyBlock {
    /// Appends `key` to a block whose last key is `previous` (empty for the first).
    ///
    /// - Parameter key: at most 65,535 bytes.
    package static func append(
        _ key: UnsafeRawBufferPointer, after previous: UnsafeRawBufferPointer, to block: inout [UInt8]
    ) {
        let shared = key.commonPrefix(with: previous)
        appendVarint(shared, to: &block)
        appendVarint(key.count - shared, to: &block)
        block.append(contentsOf: key[shared...])
    }

    private static func appendVarint(_ value: Int, to block: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            block.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        block.append(UInt8(rest))
    }

    /// A cursor that reads the items of a block in order; every length is checked against the block and the previous key.
    package struct Cursor {
        private let block: UnsafeRawBufferPointer
        private var position = 0
        private var keyLength = 0

        /// Creates a cursor at the first item. `block` must stay valid while the cursor is used.
        package init(_ block: UnsafeRawBufferPointer) { self.block = block }

        /// Reads the next item: the length of the prefix shared with the previous key, and the rest.
        ///
        /// - Returns: the number of bytes that are kept, and the item's own bytes, in the memory of the block.
        /// - Throws: `damaged` for lengths that do not add up, or at the end of the block.
        package mutating func next() throws(ArchiveError) -> (shared: Int, rest: UnsafeRawBufferPointer) {
            let shared = try varint()
            let rest = try varint()
            guard shared <= keyLength, rest <= block.count - position,
                shared + rest <= FormatLimits.maximumKeyLength
            else {
                throw .damaged("the lengths in a key block are inconsistent")
            }
            defer {
                position += rest
                keyLength = shared + rest
            }
            return (shared, UnsafeRawBufferPointer(rebasing: block[position..<position + rest]))
        }

        private mutating func varint() throws(ArchiveError) -> Int {
            var value = 0
            for shift in stride(from: 0, to: 21, by: 7) {
                guard position < block.count else { throw .damaged("a key block ends within an item") }
                let byte = block[position]
                position += 1
                value |= Int(byte & 0x7F) << shift
                if byte < 0x80 { return value }
            }
            throw .damaged("a number in a key block exceeds three bytes")
        }
    }

    /// Assembles the key of item `item`, from all items up to it.
    ///
    /// - Parameter item: the item, 0 to 15.
    /// - Throws: `damaged`.
    package static func key(_ item: Int, of block: UnsafeRawBufferPointer) throws(ArchiveError) -> [UInt8] {
        var cursor = Cursor(block)
        var key: [UInt8] = []
        for _ in 0...item {
            let (shared, rest) = try cursor.next()
            key.removeSubrange(shared...)
            key.append(contentsOf: rest)
        }
        return key
    }

    /// Compares the key of item `item` with `target`: negative if it is before, 0 if equal, positive if after.
    ///
    /// It builds no key: it tracks the length of the common prefix of `target` and the keys.
    ///
    /// - Parameter item: the item, 0 to 15.
    /// - Throws: `damaged`.
    package static func compare(
        _ item: Int, of block: UnsafeRawBufferPointer, with target: UnsafeRawBufferPointer
    ) throws(ArchiveError) -> Int {
        var cursor = Cursor(block)
        var common = 0
        var order = -target.count
        for _ in 0...item {
            let (shared, rest) = try cursor.next()
            guard shared <= common else { continue }
            let tail = UnsafeRawBufferPointer(rebasing: target[shared...])
            let more = rest.commonPrefix(with: tail)
            common = shared + more
            order =
                if more < rest.count, more < tail.count {
                    Int(rest[more]) - Int(tail[more])
                } else {
                    rest.count - tail.count
                }
        }
        return order
    }
}
