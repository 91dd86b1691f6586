// SPDX-License-Identifier: Apache-2.0

/// The proleptic Gregorian calendar, counted in eras of 400 years that start on 1 March.
///
/// Days are numbered from 1970-01-01, which is 0. Right for every time that 64 bits of nanoseconds or of seconds name.
package enum CivilCalendar {
    /// The number of seconds of a day, without leap seconds.
    package static let secondsOfDay: Int64 = 86_400

    /// Returns the date of a day's number.
    ///
    /// - Returns: the year, the month from 1 to 12, and the day from 1 to 31.
    package static func date(ofDay number: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = number + 719_468
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

    /// Returns the number of a day. A date outside the calendar counts on from a valid one: 31 April is 1 May.
    ///
    /// - Parameters:
    ///   - year: the astronomical year: the year 0 is 1 BC.
    ///   - month: the month, 1 to 12.
    ///   - day: the day, 1 and up.
    package static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = floorDivide(shiftedYear, 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Returns the day that contains a second since 1970, and the second of that day, 0 to 86,399.
    package static func day(ofSecond seconds: Int64) -> (number: Int64, second: Int64) {
        let number = floorDivide(seconds, secondsOfDay)
        return (number, seconds - number * secondsOfDay)
    }

    /// Returns the day of the week: 0 for Thursday, that of 1970-01-01, up to 6.
    package static func weekday(ofDay number: Int64) -> Int { Int(number - floorDivide(number, 7) * 7) }

    /// Divides and rounds down, where `/` rounds towards zero.
    ///
    /// - Parameter divisor: the divisor, greater than 0.
    package static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        value / divisor - (value % divisor < 0 ? 1 : 0)
    }
}
