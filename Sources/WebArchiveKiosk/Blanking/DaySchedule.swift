// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A schedule of times of each day, at which a kiosk's screen is black, or at which it may load updates.
///
/// Times are those of a clock on the wall, so that a span keeps its hours when daylight saving time begins or ends: that night it is an hour
/// shorter or longer, and a time that the clock leaves out counts as the next one that it has.
package struct DaySchedule: Sendable {
    /// A span from one time of day to another, in minutes since midnight; across midnight if the end is first.
    package struct Span: Sendable, Equatable {
        /// The first minute, from 0 to 1439.
        package let start: Int
        /// The minute after the last one, from 0 to 1440.
        package let end: Int

        /// Creates a span: `Span(from: 22 * 60, to: 6 * 60)` for the night. With an end equal to its start it is the whole day.
        ///
        /// - Parameters:
        ///   - start: the first minute, from 0 to 1439.
        ///   - end: the minute after the last one, from 0 to 1440.
        package init(from start: Int, to end: Int) { (self.start, self.end) = (start, end) }

        func contains(_ minute: Int) -> Bool {
            start < end ? (start..<end).contains(minute) : minute >= start || minute < end
        }
    }

    /// The spans, in any order; they may overlap.
    package var spans: [Span]

    /// Creates a schedule; without spans it has no time.
    package init(_ spans: [Span] = []) { self.spans = spans }

    /// Returns whether a time is in the schedule.
    ///
    /// - Parameter calendar: its time zone is that of the clock on the wall.
    func contains(_ time: Date, in calendar: Calendar) -> Bool {
        let clock = calendar.dateComponents([.hour, .minute], from: time)
        let minute = (clock.hour ?? 0) * 60 + (clock.minute ?? 0)
        return spans.contains { $0.contains(minute) }
    }

    /// Whether the present time, by the local clock, is in the schedule.
    package var containsNow: Bool { contains(Date(), in: Self.localCalendar) }

    /// A calendar with the present time zone of this machine.
    static var localCalendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .autoupdatingCurrent
        return calendar
    }
}
