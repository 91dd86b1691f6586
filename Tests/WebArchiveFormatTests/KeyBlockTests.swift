// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveFormat

@Suite struct KeyBlockTests {
    private func encoded(_ keys: [[UInt8]]) -> [UInt8] {
        var block: [UInt8] = []
        var previous: [UInt8] = []
        for key in keys {
            key.withUnsafeBytes { key in previous.withUnsafeBytes { KeyBlock.append(key, after: $0, to: &block) } }
            previous = key
        }
        return block
    }

    private func key(_ item: Int, of block: [UInt8]) throws -> [UInt8] {
        try block.withBytes { (block) throws(ArchiveError) in try KeyBlock.key(item, of: block) }
    }

    private func compare(_ item: Int, of block: [UInt8], with target: [UInt8]) throws -> Int {
        try block.withBytes { (block) throws(ArchiveError) in
            try target.withBytes { (target) throws(ArchiveError) in
                try KeyBlock.compare(item, of: block, with: target)
            }
        }
    }

    /// Keys that have much in common, as URLs do.
    private func keys(_ random: inout SeededGenerator) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        for _ in 0..<16 {
            var key = keys.randomElement(using: &random) ?? random.bytes(3)
            key.removeLast(Int.random(in: 0...key.count, using: &random))
            for _ in 0..<Int.random(in: 0...30, using: &random) { key.append(UInt8.random(in: 0...3, using: &random)) }
            keys.append(key)
        }
        return keys.sorted { $0.lexicographicallyPrecedes($1) }
    }

    @Test func theBytesOfTheSpecification() {
        let keys = ["http://a/", "http://a/b", "http://a/b", "http://b/"].map { Array($0.utf8) }
        #expect(
            encoded(keys) == [0, 9] + keys[0] + [9, 1, 0x62] + [10, 0] + [7, 2, 0x62, 0x2F])
        // LEB128 of 300 and of 65,535.
        let long = [UInt8](repeating: 0x61, count: 300)
        #expect(encoded([long]).prefix(3) == [0, 0xAC, 0x02])
        let longest = [UInt8](repeating: 0x61, count: 65_535)
        #expect(encoded([longest, longest]).suffix(4) == [0xFF, 0xFF, 0x03, 0])
    }

    @Test func keysBack() throws {
        var random = SeededGenerator.printed()
        for _ in 0..<200 {
            let keys = keys(&random)
            let block = encoded(keys)
            for (item, expected) in keys.enumerated() {
                #expect(try key(item, of: block) == expected, "seed \(random.seed)")
            }
            #expect(archiveError { _ = try key(keys.count, of: block) }?.code == .damaged)
        }
        let long = [random.bytes(65_535)]
        #expect(try key(0, of: encoded(long)) == long[0])
    }

    @Test func comparesAsArraysDo() throws {
        var random = SeededGenerator.printed()
        for _ in 0..<200 {
            let keys = keys(&random)
            let block = encoded(keys)
            var targets = keys + [[], [0], random.bytes(2)]
            for key in keys.prefix(6) { targets += [key + [1], Array(key.dropLast()), Array(key.dropLast()) + [2]] }
            for target in targets {
                for (item, key) in keys.enumerated() {
                    let order = try compare(item, of: block, with: target)
                    let expected = key == target ? 0 : key.lexicographicallyPrecedes(target) ? -1 : 1
                    #expect(order.signum() == expected, "\(key) and \(target), seed \(random.seed)")
                }
            }
        }
    }

    @Test(
        arguments: [
            [], [0], [0, 5, 1, 2], [1, 0], [0, 1, 7, 2, 0], [0, 0x80], [0x80, 0x80, 0x80, 0], [0, 0xFF, 0xFF, 0xFF],
            [0, 0x80, 0x80, 0x80, 0x01],
        ] as [[UInt8]])
    func malformed(block: [UInt8]) {
        // The malformed item is the first or the second one.
        #expect(archiveError { _ = try key(1, of: block) }?.code == .damaged)
        #expect(archiveError { _ = try compare(1, of: block, with: [7]) }?.code == .damaged)
    }

    @Test func keysHaveALimit() {
        // 65,535 bytes, then an item that keeps all of them and adds one.
        let block = encoded([[UInt8](repeating: 0x61, count: 65_535)]) + [0xFF, 0xFF, 0x03, 1, 0x61]
        #expect(archiveError { _ = try key(0, of: block) } == nil)
        #expect(archiveError { _ = try key(1, of: block) }?.code == .damaged)
    }

    /// No bytes make it read outside of the block, and key and comparison agree on whatever it finds.
    @Test func randomBytes() throws {
        var random = SeededGenerator.printed()
        var (whole, broken) = (0, 0)
        for _ in 0..<20_000 {
            var block = random.bytes(Int.random(in: 0...40, using: &random))
            if random.chance(2) { block = block.map { $0 & 7 } }
            let target = random.bytes(Int.random(in: 0...6, using: &random)).map { $0 & 7 }
            for item in 0..<4 {
                let found = try? key(item, of: block)
                let order = try? compare(item, of: block, with: target)
                if let found {
                    let expected = found == target ? 0 : found.lexicographicallyPrecedes(target) ? -1 : 1
                    #expect(order?.signum() == expected, "\(block) item \(item), seed \(random.seed)")
                    whole += 1
                } else {
                    #expect(order == nil, "\(block) item \(item), seed \(random.seed)")
                    broken += 1
                }
            }
        }
        #expect(whole > 1000 && broken > 1000)
    }
}
