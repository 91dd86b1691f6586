// SPDX-License-Identifier: Apache-2.0

/// A time span: a whole number of seconds, or with a unit: 500ms, 90s, 15m, 12h, 2d.
package struct DurationArgument: FormedArgument {
    package static let form = "a whole number of seconds, or one with ms, s, m, h or d, such as 500ms"
    package static let minute = DurationArgument(duration: .seconds(60), text: "60s")

    package let duration: Duration
    private let text: String

    private init(duration: Duration, text: String) {
        self.duration = duration
        self.text = text
    }

    package init?(argument: String) {
        let milliseconds = ["ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        let digits = argument.prefix { ("0"..."9").contains($0) }
        let unit = String(argument[digits.endIndex...])
        guard let number = Int64(digits), let factor = milliseconds[unit.isEmpty ? "s" : unit] else { return nil }
        let (total, overflows) = number.multipliedReportingOverflow(by: Int64(factor))
        // A century: clocks and timers need not reach further.
        guard !overflows, total <= 36_525 * 86_400_000 else { return nil }
        duration = .milliseconds(total)
        text = argument
    }

    package var defaultValueDescription: String { text }
}
