// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import WebArchiveKiosk

@Suite struct DayScheduleTests {
    private static let night = DaySchedule([.init(from: 22 * 60, to: 7 * 60)])

    private func calendar(_ zone: String) throws -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        return calendar
    }

    private func time(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test(arguments: [
        ("22:00", true), ("21:59", false), ("23:59", true), ("00:00", true), ("06:59", true), ("07:00", false),
        ("12:00", false),
    ])
    func spanGoesOverMidnight(clock: String, isBlank: Bool) throws {
        #expect(try Self.night.contains(time("2026-11-24T\(clock):30Z"), in: calendar("UTC")) == isBlank)
    }

    @Test(arguments: [
        ("11:59", false), ("12:00", true), ("12:59", true), ("13:00", false), ("18:30", true), ("23:59", true),
        ("00:00", false),
    ])
    func spansAddUp(clock: String, isBlank: Bool) throws {
        let schedule = DaySchedule([.init(from: 720, to: 780), .init(from: 1080, to: 1440)])
        #expect(try schedule.contains(time("2026-11-24T\(clock):00Z"), in: calendar("UTC")) == isBlank)
        #expect(try !DaySchedule().contains(time("2026-11-24T\(clock):00Z"), in: calendar("UTC")))
    }

    /// Berlin's clocks go from 02:00 to 03:00 on 29 March 2026 at 01:00 UTC, and back on 25 October at 01:00 UTC: the span ends at seven by the
    /// clock, and begins where the clock passes a time that it leaves out.
    @Test(
        arguments: [
            ("2026-03-29T04:59:59Z", 22 * 60, 7 * 60, true), ("2026-03-29T05:00:00Z", 22 * 60, 7 * 60, false),
            ("2026-10-25T05:59:59Z", 22 * 60, 7 * 60, true), ("2026-10-25T06:00:00Z", 22 * 60, 7 * 60, false),
            ("2026-03-29T00:59:59Z", 150, 420, false), ("2026-03-29T01:00:00Z", 150, 420, true),
            // The hour from two to three comes twice.
            ("2026-10-25T00:30:00Z", 120, 180, true), ("2026-10-25T01:30:00Z", 120, 180, true),
            ("2026-10-25T02:00:00Z", 120, 180, false),
        ])
    func clocksAreChanged(at time: String, start: Int, end: Int, isBlank: Bool) throws {
        let schedule = DaySchedule([.init(from: start, to: end)])
        #expect(try schedule.contains(self.time(time), in: calendar("Europe/Berlin")) == isBlank)
    }

    @Test func supervisorBlanksAndWakes() {
        var supervisor = KioskSupervisor(idle: .seconds(60), isControlled: true)
        #expect(supervisor.handle(nil, at: .zero) == [.start(1)])
        _ = supervisor.handle(.ready(1), at: .zero)
        #expect(supervisor.handle(.blank(true), at: .seconds(1)) == [.start(2)])
        #expect(supervisor.isBlank)
        #expect(supervisor.handle(.ready(2), at: .seconds(2)) == [.kill(1)])
        // Touching a black screen is no visit.
        _ = supervisor.handle(.used(2), at: .seconds(2))
        for second in stride(from: 3, to: 300, by: 3) {
            _ = supervisor.handle(.responded(2), at: .seconds(second))
            #expect(supervisor.handle(nil, at: .seconds(second)).allSatisfy { $0 == .check(2) })
        }
        #expect(supervisor.handle(.blank(true), at: .seconds(300)).allSatisfy { $0 == .check(2) })
        // A browser that fails is followed by one that is black as well.
        let restart = supervisor.handle(.ended(2, "signal 9"), at: .seconds(301))
        #expect(restart.contains(.start(3)) && supervisor.isBlank && supervisor.idleResets == 0)
        _ = supervisor.handle(.ready(3), at: .seconds(302))
        #expect(supervisor.handle(.blank(false), at: .seconds(303)) == [.start(4)])
        #expect(!supervisor.isBlank)
    }

    @Test func aKioskThatStartsAtNightIsBlack() {
        var supervisor = KioskSupervisor(idle: nil, isControlled: true)
        #expect(supervisor.handle(.blank(true), at: .zero) == [.start(1)])
        #expect(supervisor.isBlank)
    }
}
