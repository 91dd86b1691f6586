// SPDX-License-Identifier: Apache-2.0

/// The preferred form of a date in HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`. RFC 9110 section 5.6.7.
public enum HTTPDate {
    private static let dayNames = Array("ThuFriSatSunMonTueWed".utf8)
    private static let monthNames = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)
    /// The text between the numbers and names.
    private static let pattern = Array("___, __ ___ ____ __:__:__ GMT".utf8)

    /// The IMF-fixdate of a time in nanoseconds since 1970, rounded down to seconds.
    public static func text(nanoseconds: Int64) -> String {
        String(decoding: bytes(nanoseconds: nanoseconds), as: UTF8.self)
    }

    private static func bytes(nanoseconds: Int64) -> [UInt8] {
        let (number, second) = CivilCalendar.day(ofSecond: CivilCalendar.floorDivide(nanoseconds, 1_000_000_000))
        // 64 bits of nanoseconds reach from 1677 to 2262: a year has four digits.
        let (year, month, day) = CivilCalendar.date(ofDay: number)
        let weekday = CivilCalendar.weekday(ofDay: number)
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
        let seconds = CivilCalendar.day(year, Int64(month) + 1, day) * CivilCalendar.secondsOfDay + clock
        let (value, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        // Only the canonical spelling counts, so that a stored time gives back the very bytes.
        return overflow || self.bytes(nanoseconds: value) != bytes ? nil : value
    }

    /// Two digits; what stands there instead gives a number that is written otherwise.
    private static func number(at start: Int, in text: [UInt8]) -> Int64 {
        10 * (Int64(text[start]) - 48) + Int64(text[start + 1]) - 48
    }
}
