// SPDX-License-Identifier: Apache-2.0

/// The preferred form of a date in HTTP, IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`. RFC 9110 section 5.6.7.
///
/// The two obsolete forms of that section are not read here. Forms 3 and 4 of a stored header field are made with it
/// (specification section 7, "HeaderField").
public enum HTTPDate {
    private static let dayNames = Array("ThuFriSatSunMonTueWed".utf8)
    private static let monthNames = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)
    /// The text between the numbers and names.
    private static let pattern = Array("___, __ ___ ____ __:__:__ GMT".utf8)

    /// Writes the IMF-fixdate of a time, rounded down to seconds.
    ///
    /// - Parameter nanoseconds: the time since 1970-01-01T00:00:00Z, from the years 1677 to 2262; any number is valid.
    /// - Returns: 29 characters.
    public static func text(nanoseconds: Int64) -> String {
        String(decoding: bytes(nanoseconds: nanoseconds), as: UTF8.self)
    }

    /// Writes the bytes of ``text(nanoseconds:)``.
    package static func bytes(nanoseconds: Int64) -> [UInt8] {
        let (number, second) = CivilCalendar.day(ofSecond: CivilCalendar.floorDivide(nanoseconds, 1_000_000_000))
        // 64 bits of nanoseconds reach from 1677 to 2262: a year has four digits.
        let (year, month, day) = CivilCalendar.date(ofDay: number)
        let weekday = CivilCalendar.weekday(ofDay: number)
        var text = pattern
        for place in 0..<3 {
            text[place] = dayNames[3 * weekday + place]
            text[8 + place] = monthNames[3 * Int(month) - 3 + place]
        }
        write(day, before: 7, in: &text)
        write(year / 100, before: 14, in: &text)
        write(year, before: 16, in: &text)
        write(second / 3600, before: 19, in: &text)
        write(second / 60 % 60, before: 22, in: &text)
        write(second % 60, before: 25, in: &text)
        return text
    }

    private static func write(_ value: Int64, before end: Int, in text: inout [UInt8]) {
        text[end - 1] = UInt8(ascii: "0") + UInt8(value % 10)
        text[end - 2] = UInt8(ascii: "0") + UInt8(value / 10 % 10)
    }

    /// Reads the time of an IMF-fixdate, in nanoseconds since 1970; nil for any other text.
    ///
    /// - Parameter text: the text, 29 characters, in the one spelling that ``text(nanoseconds:)`` writes, the right day of the
    ///   week included.
    /// - Returns: nanoseconds since 1970-01-01T00:00:00Z, a whole number of seconds; nil for any other text.
    public static func nanoseconds(_ text: String) -> Int64? { nanoseconds(Array(text.utf8)) }

    /// Reads the time of an IMF-fixdate's bytes, in nanoseconds since 1970; nil for any others.
    package static func nanoseconds(_ bytes: [UInt8]) -> Int64? {
        guard bytes.count == pattern.count else { return nil }
        let day = number(at: 5, in: bytes)
        let year = number(at: 12, in: bytes) * 100 + number(at: 14, in: bytes)
        let month = (0..<12).first { month in (0..<3).allSatisfy { monthNames[3 * month + $0] == bytes[8 + $0] } }
        guard let month, (1...31).contains(day) else { return nil }
        let clock = number(at: 17, in: bytes) * 3600 + number(at: 20, in: bytes) * 60 + number(at: 23, in: bytes)
        let seconds = CivilCalendar.day(year, Int64(month) + 1, day) * CivilCalendar.secondsOfDay + clock
        let (value, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        // Only the canonical spelling counts, so that a stored time reproduces the original bytes.
        return overflow || self.bytes(nanoseconds: value) != bytes ? nil : value
    }

    /// Reads two digits; other bytes produce a number with a different spelling.
    private static func number(at start: Int, in text: [UInt8]) -> Int64 {
        10 * (Int64(text[start]) - 48) + Int64(text[start + 1]) - 48
    }
}
