// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchive

@Suite struct DamagedBlocksTests {
    @Test func errorsAreThoseOfTheFirstBlockOfARange() {
        var damaged = DamagedBlocks()
        #expect(damaged.isEmpty && damaged.firstError(in: 0..<10) == nil)
        for block in stride(from: 5, to: 5_005, by: 2) {
            damaged.append(block, .damaged("block \(block)", offset: UInt64(block)))
        }
        #expect(!damaged.isEmpty)
        #expect(damaged.firstError(in: 0..<5) == nil)
        #expect(damaged.firstError(in: 0..<6)?.offset == 5)
        #expect(damaged.firstError(in: 6..<7) == nil)
        #expect(damaged.firstError(in: 6..<100)?.offset == 7)
        #expect(damaged.firstError(in: 2_003..<2_004)?.offset == 2_003)
        // Beyond the first thousand there is an error without a place.
        #expect(damaged.firstError(in: 2_005..<2_006)?.code == .damaged)
        #expect(damaged.firstError(in: 2_005..<2_006)?.offset == nil)
        #expect(damaged.firstError(in: 5_004..<9_000) == nil)
        #expect(damaged.firstError(in: 7..<7) == nil)
    }
}
