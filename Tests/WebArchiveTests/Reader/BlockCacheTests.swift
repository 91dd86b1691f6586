// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

@Suite struct BlockCacheTests {
    private func block(_ byte: UInt8) -> DecodedBlock {
        let block = DecodedBlock(count: 1)
        [byte].withUnsafeBytes { block.fill(from: $0) }
        return block
    }

    private func byte(_ block: DecodedBlock?) throws -> UInt8? {
        var byte: UInt8?
        try block?.withBytes { bytes in byte = bytes[0] }
        return byte
    }

    /// Against a list that keeps the order of use.
    @Test func forgetsWhatWasUsedLongestAgo() throws {
        var random = SeededGenerator.printed()
        let cache = BlockCache(capacity: 5)
        var used: [UInt32] = []
        for _ in 0..<2_000 {
            let row = UInt32.random(in: 0..<9, using: &random)
            // A commit of its own is another block.
            let place = RowPlace(commit: row % 2, row: row / 2)
            let found = try byte(cache[place])
            #expect(found == (used.contains(row) ? UInt8(row) : nil), "seed \(random.seed)")
            used.removeAll { $0 == row }
            if found == nil, random.chance(3) { continue }
            used.append(row)
            if used.count > 5 { used.removeFirst() }
            if found == nil || random.chance(2) { cache[place] = block(UInt8(row)) }
        }
    }

    @Test func theLastValueCounts() throws {
        let cache = BlockCache(capacity: 2)
        let place = RowPlace(commit: 0, row: 1)
        cache[place] = block(1)
        cache[place] = block(2)
        #expect(try byte(cache[place]) == 2)
        cache[place] = nil
        #expect(try byte(cache[place]) == 2)
        #expect(try byte(cache[RowPlace(commit: 1, row: 1)]) == nil)
    }
}
