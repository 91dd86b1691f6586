// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A date in a request's field, in any of the three formats that a recipient must understand. RFC 9110 section 5.6.7.
package enum FieldDate {
    /// The maximum length of a date, in bytes.
    private static let longest = 64

    /// Reads a date of a field, as ``nanoseconds(_:now:)`` with the system's clock.
    ///
    /// - Returns: nanoseconds since 1970; nil for a text that is not a date.
    package static func nanoseconds(_ text: String) -> Int64? { nanoseconds(text, now: now) }

    /// Reads a date in one of the three formats: IMF-fixdate, that of RFC 850, or that of `asctime`.
    ///
    /// - Parameters:
    ///   - text: at most 64 bytes of ASCII. The day of the week of the two old formats is not compared with the date.
    ///   - now: the present time in nanoseconds since 1970. A year of two digits is the one that is at most 50 years after it.
    /// - Returns: nanoseconds since 1970; nil for a text that is not a date.
    package static func nanoseconds(_ text: String, now: @autoclosure () -> Int64) -> Int64? {
        guard text.utf8.count <= longest, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if let date = HTTPDate.nanoseconds(text) { return date }
        // "Sunday, 06-Nov-94 08:49:37 GMT" and "Sun Nov  6 08:49:37 1994", written again in the preferred format.
        let words = text.split(whereSeparator: { " ,-".contains($0) })
        let parts: (day: Substring, month: Substring, year: String, clock: Substring)
        if words.count == 6, words[5] == "GMT", words[3].count == 2, let year = Int(words[3]) {
            parts = (words[1], words[2], fullYear(year, now()), words[4])
        } else if words.count == 5, words[4].count == 4 {
            parts = (words[2], words[1], String(words[4]), words[3])
        } else {
            return nil
        }
        let day = parts.day.count == 1 ? "0\(parts.day)" : String(parts.day)
        // The day of the week follows from the rest.
        return ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].lazy.compactMap {
            HTTPDate.nanoseconds("\($0), \(day) \(parts.month) \(parts.year) \(parts.clock) GMT")
        }.first
    }

    private static func fullYear(_ year: Int, _ now: Int64) -> String {
        let day = CivilCalendar.day(ofSecond: CivilCalendar.floorDivide(now, 1_000_000_000)).0
        let thisYear = Int(CivilCalendar.date(ofDay: day).year)
        let full = thisYear / 100 * 100 + year
        return String(full > thisYear + 50 ? full - 100 : full <= thisYear - 50 ? full + 100 : full)
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(clamping: Int128(time.tv_sec) * 1_000_000_000)
    }
}
