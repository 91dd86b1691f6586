// SPDX-License-Identifier: Apache-2.0

package import WebArchive
import WebArchivePresentation

/// A moment, by RFC 3339 or as `@` and seconds since 1970. A date is its first moment in UTC.
package struct TimeArgument: FormedArgument {
    package static let form =
        "a time such as 2025-01-31T12:00:00Z, a date such as 2025-01-31, or @ and whole seconds since 1970"

    package let time: ArchiveTime

    private init(time: ArchiveTime) { self.time = time }

    package init?(argument: String) {
        if argument.hasPrefix("@") {
            self.init(secondsText: argument.dropFirst())
        } else if let nanoseconds = Timestamp.nanoseconds(argument) ?? Timestamp.nanoseconds(argument + "T00:00:00Z"),
            let time = Self.time(nanoseconds)
        {
            self.init(time: time)
        } else {
            return nil
        }
    }

    /// Takes whole seconds since 1970, the form of `SOURCE_DATE_EPOCH`.
    package init?(secondsText text: some StringProtocol) {
        guard let seconds = Int64(text), text.first != "+" else { return nil }
        let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow, let time = Self.time(nanoseconds) else { return nil }
        self.init(time: time)
    }

    /// Returns the time; 0 represents "unknown" in an archive, so the first moment of 1970 becomes the nanosecond after it.
    private static func time(_ nanoseconds: Int64) -> ArchiveTime? {
        ArchiveTime(nanoseconds: nanoseconds == 0 ? 1 : nanoseconds)
    }
}
