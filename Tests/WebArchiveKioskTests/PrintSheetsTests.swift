// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchiveKiosk

@Suite struct PrintSheetsTests {
    /// The first sheet that is one too many, if each is open for ten seconds, and the next comes some time after its end; nil: none.
    private func firstTooMany(_ pauses: [Duration]) -> Int? {
        var sheets = PrintSheets()
        var now = Duration.zero
        for (number, pause) in pauses.enumerated() {
            now += pause
            for _ in 1...2 where sheets.opened("\(number)", at: now) { return number }
            now += .seconds(10)
            sheets.closed("another", at: now)
            sheets.closed("\(number)", at: now)
        }
        return nil
    }

    @Test func opensAgainAndAgain() {
        #expect(firstTooMany(Array(repeating: .seconds(1), count: 9)) == 2)
        // A visitor had the time to leave.
        #expect(firstTooMany([.seconds(1), .seconds(1), .seconds(4), .seconds(1), .seconds(1)]) == 4)
    }

    @Test func visitorsWhoPrint() {
        #expect(firstTooMany(Array(repeating: .seconds(4), count: 9)) == nil)
        #expect(firstTooMany([.seconds(1), .seconds(1), .seconds(4), .seconds(1)]) == nil)
    }
}
