// SPDX-License-Identifier: Apache-2.0

import WebArchive

extension FieldDate {
    /// Returns the time since 1970 of a date in a field; nil for a text that is not a date.
    ///
    /// A cache reads names in any case (RFC 9111 section 4.2).
    ///
    /// Some servers write an expiry that never comes as a date beyond the range of an archive, such as one of the year
    /// 9999: it counts as the last one in range.
    static func sinceEpoch(_ text: String?) -> Duration? {
        guard let text = (text?.trimmingOptionalWhitespace).map(String.init) else { return nil }
        if let time = nanoseconds(text) ?? nanoseconds(usualCase(text)) { return .nanoseconds(time) }
        var isLate = false
        let words = usualCase(text).split(separator: " ", omittingEmptySubsequences: false).map { word in
            guard word.utf8.count == 4, let year = Int(word), year > 2261 else { return String(word) }
            isLate = true
            // The calendar, days of the week included, comes again after 400 years.
            return String(year % 400 < 100 ? 2000 + year % 400 : 1600 + year % 400)
        }
        guard isLate, nanoseconds(words.joined(separator: " ")) != nil else { return nil }
        return .nanoseconds(Int64.max)
    }

    /// Returns the text with the usual spelling of the names of days and months, and `GMT`.
    private static func usualCase(_ text: String) -> String {
        var bytes = Array(text.utf8).asciiLowercased
        var startsWord = true
        for (place, byte) in bytes.enumerated() {
            if startsWord, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) { bytes[place] -= 32 }
            startsWord = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-")
        }
        if bytes.suffix(4).elementsEqual(" Gmt".utf8) {
            bytes.replaceSubrange(bytes.count - 3..<bytes.count, with: "GMT".utf8)
        }
        return String(untrusted: bytes)
    }
}

extension ArchiveTime {
    var sinceEpoch: Duration { .nanoseconds(nanoseconds) }
}
