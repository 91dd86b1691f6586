// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import WebArchivePacking

@Suite struct BatchPlanTests {
    /// A batch fits a buffer, or is one file; and all files are in it once, in order.
    @Test func everyFileOnceAndNoBatchTooLong() {
        var random = SeededGenerator.printed()
        for _ in 0..<200 {
            let lengths = (0..<Int.random(in: 0...3000, using: &random)).map { _ in
                [0, 300, 20_000, 1 << 20, (4 << 20) + 1, 9 << 20].randomElement(using: &random)!
            }
            let plan = BatchPlan(lengths: lengths.map(UInt64.init))
            #expect(plan.ranges.flatMap { Array($0) } == Array(lengths.indices), "seed \(random.seed)")
            for range in plan.ranges {
                let sum = range.reduce(0) { $0 + lengths[$1] }
                #expect(range.count == 1 || sum <= Int(plan.length) && range.count <= 1024, "seed \(random.seed)")
                #expect(sum <= plan.bufferLength || sum > plan.length, "seed \(random.seed)")
            }
        }
    }

    @Test func buffersForTinyFilesAreShort() {
        #expect(BatchPlan(lengths: Array(repeating: 40, count: 5000)).bufferLength == 40 * 1024)
        #expect(BatchPlan(lengths: [9 << 20]).bufferLength == 0)
    }

    @Test func buffersGrowWithTheSiteToALimit() {
        #expect(BatchPlan(lengths: []).length == 4 << 20)
        #expect(BatchPlan(lengths: Array(repeating: 1 << 20, count: 192)).length == 6 << 20)
        #expect(BatchPlan(lengths: Array(repeating: 1 << 30, count: 100)).length == 8 << 20)
    }
}
