// SPDX-License-Identifier: Apache-2.0

import WebArchive

extension FieldDate {
    /// The time since 1970 of a date in a field; nil for what is no date.
    ///
    /// Some servers write an expiry that never comes as a date that an archive cannot tell, such as one of the year
    /// 9999: it is the last one it can.
    static func sinceEpoch(_ text: String?) -> Duration? {
        guard let text = text?.trimmingOptionalWhitespace else { return nil }
        if let time = nanoseconds(String(text)) { return .nanoseconds(time) }
        var isLate = false
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            guard word.utf8.count == 4, let year = Int(word), year > 2261 else { return String(word) }
            isLate = true
            // The calendar, days of the week included, comes again after 400 years.
            return String(year % 400 < 100 ? 2000 + year % 400 : 1600 + year % 400)
        }
        guard isLate, nanoseconds(words.joined(separator: " ")) != nil else { return nil }
        return .nanoseconds(Int64.max)
    }
}

extension ArchiveTime {
    var sinceEpoch: Duration { .nanoseconds(nanoseconds) }
}
