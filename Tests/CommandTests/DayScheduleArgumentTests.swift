// SPDX-License-Identifier: Apache-2.0

import Testing
import WebarcCommandLine

@Suite struct DayScheduleArgumentTests {
    @Test(
        arguments: [
            ("22:00-07:00", [[1320, 420]]), ("00:00-24:00", [[0, 1440]]),
            ("9:30-10:00,12:00-13:15", [[570, 600], [720, 795]]),
        ] as [(String, [[Int]])])
    func spansAreRead(text: String, spans: [[Int]]) {
        #expect(DayScheduleArgument(argument: text)?.spans.map { [$0.start, $0.end] } == spans)
    }

    @Test(arguments: [
        "", "22:00", "22:00-", "-07:00", "22-7", "24:00-07:00", "22:60-07:00", "25:00-26:00", "22:00-22:00",
        "22:00-07:00-08:00",
        "22:00-24:01", "22:00-07:00,", "٢٢:٠٠-٠٧:٠٠", "22:00–07:00", "+2:00-07:00", "22:000-07:00",
    ])
    func otherTextsAreRefused(text: String) {
        #expect(DayScheduleArgument(argument: text) == nil)
    }
}
