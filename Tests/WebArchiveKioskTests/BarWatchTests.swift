// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchiveKiosk

@Suite struct BarWatchTests {
    /// The look at which a bar is lost, counted from the first, one every 250 ms; nil: never.
    private func firstLoss(_ sights: [BarWatch.Sight?]) -> Int? {
        var watch = BarWatch()
        return sights.indices.first { watch.isLost(after: sights[$0], at: .milliseconds(250) * $0) }
    }

    @Test func hiddenInSpiteOfRepairs() {
        #expect(firstLoss([.shown, .hidden, .hidden, .hidden, .hidden]) == 4)
        // A bar that is covered again as soon as it was repaired may look as if nothing were painted in between.
        #expect(firstLoss([.hidden, .unknown, .hidden, .hidden]) == 3)
    }

    @Test(arguments: [.shown, nil] as [BarWatch.Sight?]) func repairedMeanwhile(sight: BarWatch.Sight?) {
        #expect(firstLoss([.hidden, .hidden, .hidden, sight, .hidden, .hidden, .hidden, sight]) == nil)
    }

    @Test func neverPainted() {
        #expect(firstLoss(Array(repeating: .unknown, count: 20)) == 12)
    }

    @Test func beginsAnewAfterALoss() {
        var watch = BarWatch()
        let losses = (0..<8).filter { watch.isLost(after: .hidden, at: .milliseconds(250) * $0) }
        #expect(losses == [3, 7])
    }
}
