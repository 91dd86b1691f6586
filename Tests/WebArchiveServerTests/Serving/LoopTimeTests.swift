// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import WebArchiveServer

@Suite struct LoopTimeTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
    private let time = LoopTime()

    @Test func shortWorkIsNotCounted() {
        for _ in 0..<100_000 { time.note("a", .microseconds(150), now: start) }
        #expect(time.delay("a", now: start) == .zero)
    }

    @Test func anAddressWaitsTwiceAsLongAsItsWorkTook() {
        for _ in 0..<50 { time.note("a", .milliseconds(2), now: start) }
        #expect(time.delay("a", now: start) == .milliseconds(180))
        #expect(time.delay("a", now: start + .milliseconds(100)) == .milliseconds(80))
        #expect(time.delay("b", now: start) == .zero)
        #expect(time.delay("a", now: start + .milliseconds(180)) == .zero)
        time.note("a", .milliseconds(15), now: start + .seconds(1))
        #expect(time.delay("a", now: start + .seconds(1)) == .milliseconds(10))
    }

    @Test func addressesAreForgottenWhereThereAreMany() {
        for number in 0..<4096 { time.note("\(number)", .milliseconds(50), now: start) }
        time.note("late", .milliseconds(50), now: start)
        #expect(time.delay("late", now: start) == .zero)
        time.note("later", .milliseconds(50), now: start + .seconds(1))
        #expect(time.delay("later", now: start + .seconds(1)) == .milliseconds(80))
    }
}
