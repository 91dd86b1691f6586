// SPDX-License-Identifier: Apache-2.0

/// Times as RFC 3339 section 5.6 writes them.
package enum Timestamp {
    /// `2025-01-31T12:34:56Z`, rounded down to seconds.
    package static func text(_ time: ArchiveTime) -> String {
        let seconds = floorDivide(time.nanoseconds, 1_000_000_000)
        let days = floorDivide(seconds, 86_400)
        let (year, month, day) = civil(days)
        let second = seconds - days * 86_400
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
            + "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))Z"
    }

    /// Nanoseconds since 1970; nil for other texts and for what 64 bits do not hold.
    package static func nanoseconds(_ text: String) -> Int64? {
        let pattern = /(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?(?:[Zz]|([+-])(\d\d):(\d\d))/
        guard text.utf8.allSatisfy({ $0 < 0x80 }), let match = text.wholeMatch(of: pattern)?.output,
            let year = Int64(match.1), let month = Int64(match.2), let day = Int64(match.3),
            let hour = Int64(match.4), let minute = Int64(match.5), let second = Int64(match.6)
        else { return nil }
        let days = days(year, month, day)
        // A day that is not in the calendar comes back as another one.
        guard (1...12).contains(month), civil(days) == (year, month, day), hour < 24, minute < 60, second <= 60 else {
            return nil
        }
        var offset: Int64 = 0
        if let hours = match.9.flatMap({ Int64($0) }), let minutes = match.10.flatMap({ Int64($0) }) {
            guard hours < 24, minutes < 60 else { return nil }
            offset = (hours * 60 + minutes) * (match.8 == "-" ? -60 : 60)
        }
        let fraction = match.7.map { digits in
            Int64(digits + String(repeating: "0", count: 9 - digits.count)) ?? 0
        }
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (total, overflowToo) = scaled.addingReportingOverflow(fraction ?? 0)
        return overflow || overflowToo ? nil : total
    }

    /// Whether a text is a date, or a date and a time of day, of RFC 3339.
    package static func isDate(_ text: String) -> Bool {
        nanoseconds(text) != nil || nanoseconds(text + "T00:00:00Z") != nil
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        value / divisor - (value % divisor < 0 ? 1 : 0)
    }

    // The proleptic Gregorian calendar, in eras of 400 years that start on 1 March.
    private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        return (
            yearOfEra + era * 400 + (month > 9 ? 1 : 0), month > 9 ? month - 9 : month + 3,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
    }

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
