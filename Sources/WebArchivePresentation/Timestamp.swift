// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// The form of times in RFC 3339 section 5.6.
package enum Timestamp {
    /// Formats a time as `2025-01-31T12:34:56Z`, rounded down to seconds.
    package static func text(_ time: ArchiveTime) -> String {
        let (number, second) = CivilCalendar.day(ofSecond: CivilCalendar.floorDivide(time.nanoseconds, 1_000_000_000))
        let (year, month, day) = CivilCalendar.date(ofDay: number)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
            + "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))Z"
    }

    /// Reads nanoseconds since 1970; nil for other texts and for values beyond 64 bits.
    package static func nanoseconds(_ text: String) -> Int64? {
        let pattern = /(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?(?:[Zz]|([+-])(\d\d):(\d\d))/
        guard text.utf8.allSatisfy({ $0 < 0x80 }), let match = text.wholeMatch(of: pattern)?.output,
            let year = Int64(match.1), let month = Int64(match.2), let day = Int64(match.3),
            let hour = Int64(match.4), let minute = Int64(match.5), let second = Int64(match.6)
        else { return nil }
        let number = CivilCalendar.day(year, month, day)
        // A day outside the calendar is returned as a different one.
        guard (1...12).contains(month), CivilCalendar.date(ofDay: number) == (year, month, day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        var offset: Int64 = 0
        if let hours = match.9.flatMap({ Int64($0) }), let minutes = match.10.flatMap({ Int64($0) }) {
            guard hours < 24, minutes < 60 else { return nil }
            offset = (hours * 60 + minutes) * (match.8 == "-" ? -60 : 60)
        }
        let fraction = match.7.map { digits in
            Int64(digits + String(repeating: "0", count: 9 - digits.count)) ?? 0
        }
        let seconds = number * CivilCalendar.secondsOfDay + hour * 3600 + minute * 60 + second - offset
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (total, overflowToo) = scaled.addingReportingOverflow(fraction ?? 0)
        return overflow || overflowToo ? nil : total
    }

    /// Returns whether a text is a date, or a date and a time of day, of RFC 3339.
    package static func isDate(_ text: String) -> Bool {
        nanoseconds(text) != nil || nanoseconds(text + "T00:00:00Z") != nil
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
