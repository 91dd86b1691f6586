// SPDX-License-Identifier: Apache-2.0

/// A schedule of spans of each day: `22:00-07:00`, several separated by commas.
package struct DayScheduleArgument: FormedArgument, Equatable {
    package static let form = "times such as 22:00-07:00, separated by commas"

    /// The spans in minutes since midnight, across midnight if the end is first.
    package let spans: [Span]

    package struct Span: Equatable, Sendable {
        package let start: Int
        package let end: Int
    }

    package init?(argument: String) {
        var spans: [Span] = []
        for text in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let times = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
            guard times.count == 2, let start = times[0], let end = times[1], start < Self.day, start != end
            else { return nil }
            spans.append(Span(start: start, end: end))
        }
        self.spans = spans
    }

    private static let day = 24 * 60

    private static func minute(_ text: Substring) -> Int? {
        guard let match = text.wholeMatch(of: #/([0-9]{1,2}):([0-9]{2})/#), let hour = Int(match.1),
            let minute = Int(match.2), minute < 60, hour * 60 + minute <= day
        else { return nil }
        return hour * 60 + minute
    }
}
