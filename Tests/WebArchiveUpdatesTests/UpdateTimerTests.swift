// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

@testable import WebArchiveUpdates

/// The times at which release folders are looked at.
@Suite struct UpdateTimerTests {
    private let folder: TemporaryFolder
    private var timer = UpdateTimer(interval: .seconds(3600))

    init() throws { folder = try TemporaryFolder() }

    private func list(_ bytes: Int) throws -> UpdateTimer.List {
        try folder.write("updates.json", [UInt8](repeating: 0, count: bytes))
        return .local(FileStatus(of: folder.path("updates.json"))?.identity)
    }

    private func isDue(_ list: UpdateTimer.List, _ seconds: Int, isPermitted: Bool = true) -> Bool {
        timer.isDue(list, at: .seconds(seconds), isPermitted: isPermitted)
    }

    /// A share of the tenth by which a device is late.
    @Test(arguments: [(0, 3600), (0.5, 3780), (1, 3960)] as [(Double, Int)])
    mutating func hostIsAskedOnceInAnInterval(share: Double, next: Int) {
        #expect(isDue(.remote, 0))
        timer.note(.remote, succeeded: true, at: .seconds(100), share: share)
        #expect(!isDue(.remote, 100 + next - 1))
        #expect(isDue(.remote, 100 + next))
    }

    @Test func hostIsLeftAloneOutsideOfItsHours() {
        #expect(!isDue(.remote, 0, isPermitted: false))
        #expect(isDue(.remote, 1, isPermitted: true))
    }

    /// The pauses double, up to the interval, and start again after a check that succeeds.
    @Test mutating func hostThatFailsIsAskedAgain() {
        var now = 0
        for pause in [60, 120, 240, 480, 960, 1920, 3600, 3600] {
            timer.note(.remote, succeeded: false, at: .seconds(now), share: 0)
            #expect(!isDue(.remote, now + pause - 1))
            #expect(isDue(.remote, now + pause))
            now += pause
        }
        timer.note(.remote, succeeded: true, at: .seconds(now), share: 0)
        timer.note(.remote, succeeded: false, at: .seconds(now), share: 0)
        #expect(isDue(.remote, now + 60))
    }

    @Test mutating func failuresWithoutEndKeepTheInterval() {
        for _ in 0..<100 { timer.note(.remote, succeeded: false, at: .zero, share: 0) }
        #expect(!isDue(.remote, 3599))
        #expect(isDue(.remote, 3600))
    }

    @Test mutating func folderIsReadWhenItsListAppearsOrChanges() throws {
        #expect(!isDue(.local(nil), 0))
        let first = try list(1)
        // At any hour: somebody stands before the device with a stick.
        #expect(isDue(first, 10, isPermitted: false))
        timer.note(first, succeeded: true, at: .seconds(10), share: 0)
        #expect(!isDue(first, 100_000))
        #expect(!isDue(.local(nil), 100_000))
        #expect(isDue(try list(2), 20))
    }

    @Test mutating func folderThatFailsIsReadAgain() throws {
        let list = try list(1)
        timer.note(list, succeeded: false, at: .zero, share: 0)
        #expect(!isDue(list, 59))
        #expect(isDue(list, 60))
        #expect(!isDue(.local(nil), 60))
    }
}
