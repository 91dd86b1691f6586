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
        // A regular expression would be compiled for each of the millions of records of a crawl.
        var rest = TimestampReader(text)
        guard let year = rest.number(4), rest.skip("-"), let month = rest.number(2), rest.skip("-"),
            let day = rest.number(2), rest.skip("Tt"), let hour = rest.number(2), rest.skip(":"),
            let minute = rest.number(2), rest.skip(":"), let second = rest.number(2),
            let fraction = rest.fraction(), let offset = rest.offset(), rest.isAtEnd
        else { return nil }
        let number = CivilCalendar.day(year, month, day)
        // A day outside the calendar is returned as a different one.
        guard (1...12).contains(month), CivilCalendar.date(ofDay: number) == (year, month, day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        let seconds = number * CivilCalendar.secondsOfDay + hour * 3600 + minute * 60 + second - offset
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (total, overflowToo) = scaled.addingReportingOverflow(fraction)
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

/// A reader of the parts of a time.
private struct TimestampReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// Reads a number of that many digits.
    mutating func number(_ count: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Skips one character of several; false for another one.
    mutating func skip(_ characters: String) -> Bool { take(characters) != nil }

    /// Reads the fraction of a second in nanoseconds, 0 without one. Digits after the ninth do not count.
    mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        guard var value = digit() else { return nil }
        var count = 1
        while let digit = digit() {
            guard count < 9 else { continue }
            value = value * 10 + digit
            count += 1
        }
        for _ in count..<9 { value *= 10 }
        return value
    }

    /// Reads the offset from UTC, in seconds.
    mutating func offset() -> Int64? {
        if skip("Zz") { return 0 }
        guard let sign = take("+-"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -60 : 60)
    }

    private mutating func digit() -> Int64? { take("0123456789").map { Int64($0) - 0x30 } }

    private mutating func take(_ characters: String) -> UInt8? {
        guard let byte = rest.first, characters.utf8.contains(byte) else { return nil }
        rest = rest.dropFirst()
        return byte
    }
}
