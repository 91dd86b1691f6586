// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import WebArchivePacking

@Suite struct BatchPlanTests {
    private func files(_ lengths: [Int]) -> [SourceFile] {
        lengths.map { length in
            var status = stat()
            status.st_size = off_t(length)
            return SourceFile(path: Array("file".utf8), source: 0, stamp: FileStamp(status))
        }
    }

    /// A batch fits a buffer, or is one file; and all files are in it once, in order.
    @Test func everyFileOnceAndNoBatchTooLong() {
        var random = SeededGenerator.printed()
        for _ in 0..<200 {
            let lengths = (0..<Int.random(in: 0...3000, using: &random)).map { _ in
                [0, 300, 20_000, 1 << 20, (4 << 20) + 1, 9 << 20].randomElement(using: &random)!
            }
            let plan = BatchPlan(files(lengths))
            #expect(plan.ranges.flatMap { Array($0) } == Array(lengths.indices), "seed \(random.seed)")
            for range in plan.ranges {
                let sum = range.reduce(0) { $0 + lengths[$1] }
                #expect(range.count == 1 || sum <= Int(plan.length) && range.count <= 1024, "seed \(random.seed)")
            }
        }
    }

    @Test func buffersGrowWithTheSiteToALimit() {
        #expect(BatchPlan(files([])).length == 4 << 20)
        #expect(BatchPlan(files(Array(repeating: 1 << 20, count: 192))).length == 6 << 20)
        #expect(BatchPlan(files(Array(repeating: 1 << 30, count: 100))).length == 8 << 20)
    }
}
