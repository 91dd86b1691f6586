// SPDX-License-Identifier: Apache-2.0

/// The preferred form of a date in HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`. RFC 9110 section 5.6.7.
public enum HTTPDate {
    private static let dayNames = Array("ThuFriSatSunMonTueWed".utf8)
    private static let monthNames = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)
    /// What stands between the numbers and names.
    private static let pattern = Array("___, __ ___ ____ __:__:__ GMT".utf8)

    /// The IMF-fixdate of a time in nanoseconds since 1970, rounded down to seconds.
    public static func text(nanoseconds: Int64) -> String {
        String(decoding: bytes(nanoseconds: nanoseconds), as: UTF8.self)
    }

    private static func bytes(nanoseconds: Int64) -> [UInt8] {
        let seconds = floorDivide(nanoseconds, 1_000_000_000)
        let days = floorDivide(seconds, 86_400)
        let second = seconds - days * 86_400
        // 64 bits of nanoseconds reach from 1677 to 2262: a year has four digits.
        let (year, month, day) = civil(days)
        let weekday = Int(days - floorDivide(days, 7) * 7)
        var text = pattern
        text.replaceSubrange(0..<3, with: dayNames[3 * weekday..<3 * weekday + 3])
        text.replaceSubrange(8..<11, with: monthNames[3 * Int(month) - 3..<3 * Int(month)])
        for (end, value) in [(7, day), (14, year / 100), (16, year), (19, second / 3600), (22, second / 60 % 60)] {
            write(value, before: end, in: &text)
        }
        write(second % 60, before: 25, in: &text)
        return text
    }

    private static func write(_ value: Int64, before end: Int, in text: inout [UInt8]) {
        text[end - 1] = UInt8(ascii: "0") + UInt8(value % 10)
        text[end - 2] = UInt8(ascii: "0") + UInt8(value / 10 % 10)
    }

    /// The time in nanoseconds since 1970 that an IMF-fixdate names; nil for any other text.
    public static func nanoseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == pattern.count else { return nil }
        let numbers = [5, 12, 14, 17, 20, 23].map { number(at: $0, in: bytes) }
        let (day, year) = (numbers[0], numbers[1] * 100 + numbers[2])
        let month = (0..<12).first { monthNames[3 * $0..<3 * $0 + 3] == bytes[8..<11] }
        guard let month, (1...31).contains(day) else { return nil }
        let clock = numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
        let seconds = days(year, Int64(month) + 1, day) * 86_400 + clock
        let (value, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        // Only the canonical spelling counts, so that a stored time gives back the very bytes.
        return overflow || self.bytes(nanoseconds: value) != bytes ? nil : value
    }

    /// Two digits; what stands there instead gives a number that is written otherwise.
    private static func number(at start: Int, in text: [UInt8]) -> Int64 {
        10 * (Int64(text[start]) - 48) + Int64(text[start + 1]) - 48
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    // Proleptic Gregorian calendar, counted in eras of 400 years that start on 1 March.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = floorDivide(shiftedYear, 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
