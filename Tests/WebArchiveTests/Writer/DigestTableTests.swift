// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

@Suite struct DigestTableTests {
    /// Against a dictionary, with digests that fall on few places and digests that are equal.
    @Test func sameAsADictionary() throws {
        var random = SeededGenerator.printed()
        for round in 0..<6 {
            var digests: [ContentDigest] = []
            var expected: [ContentDigest: [UInt32]] = [:]
            var table = DigestTable()
            for row in 0..<UInt32(800) {
                var bytes = random.bytes(16)
                // The last bytes say where a search begins: the last slot of all, say.
                if round % 2 == 1 {
                    bytes.replaceSubrange(8..<16, with: Array(repeating: random.chance(2) ? 0xFF : 0, count: 8))
                }
                var digest = bytes.withUnsafeBytes { ContentDigest(rawBytes: $0) }
                if random.chance(5), let earlier = digests.randomElement(using: &random) { digest = earlier }
                digests.append(digest)
                expected[digest, default: []].append(row)
                table.insert(row) { digests[Int($0)] }
            }
            for (digest, rows) in expected {
                let found = table.candidates(digest) { digests[Int($0)] }
                #expect(found.sorted() == Array(rows.prefix(DigestTable.maximumOfOneDigest)), "seed \(random.seed)")
            }
            let absent = random.bytes(16).withUnsafeBytes { ContentDigest(rawBytes: $0) }
            #expect(table.candidates(absent) { digests[Int($0)] }.isEmpty)
        }
    }

    /// Digests are chosen by those who make the bodies; half of the bits may be the same in all of them.
    @Test(arguments: [0, 8]) func halvesThatAreEqual(_ start: Int) throws {
        var random = SeededGenerator.printed()
        let digests = (0..<5000).map { _ in
            var bytes = random.bytes(16)
            bytes.replaceSubrange(start..<start + 8, with: Array(repeating: 7, count: 8))
            return bytes.withUnsafeBytes { ContentDigest(rawBytes: $0) }
        }
        var table = DigestTable()
        for row in digests.indices { table.insert(UInt32(row)) { digests[Int($0)] } }
        var compared = 0
        for digest in digests {
            _ = table.candidates(digest) { row in
                compared += 1
                return digests[Int(row)]
            }
        }
        // Three quarters of the slots are taken at most, which makes few comparisons of a search.
        #expect(compared < 20 * digests.count, "seed \(random.seed)")
    }
}
