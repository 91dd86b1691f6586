// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

@Suite struct HTTPDateTests {
    @Test func theExampleOfTheRFC() {
        // RFC 9110 section 5.6.7; the number is that of `date -u -d "1994-11-06 08:49:37" +%s`.
        #expect(HTTPDate.text(nanoseconds: 784_111_777_000_000_000) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.nanoseconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777_000_000_000)
    }

    @Test(.enabled(if: Python.isThere)) func sameAsPython() throws {
        var random = SeededGenerator.printed()
        // The whole seconds that 64 bits of nanoseconds can name: 1677 to 2262.
        let bounds = Int64.min / 1_000_000_000...Int64.max / 1_000_000_000
        var times = (0..<2_000).map { _ in Int64.random(in: bounds, using: &random) }
        times += (0..<500).map { _ in Int64.random(in: -86_400 * 800...86_400 * 800, using: &random) }
        times += [bounds.lowerBound, bounds.upperBound, 0, -1, 1, -86_400, -86_401, 86_399, 86_400]
        let script = """
            import datetime, email.utils, sys
            epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
            for line in sys.stdin:
                moment = epoch + datetime.timedelta(seconds=int(line))
                text = email.utils.format_datetime(moment, usegmt=True)
                parsed = email.utils.parsedate_to_datetime(text)
                assert parsed == moment
                print(text)
            """
        let expected = try Python.answers(script, to: times.map(String.init))
        for (time, text) in zip(times, expected) {
            let fraction = Int64.random(in: 0..<1_000_000_000, using: &random)
            let (inside, overflow) = (time * 1_000_000_000).addingReportingOverflow(fraction)
            if !overflow { #expect(HTTPDate.text(nanoseconds: inside) == text, "seed \(random.seed)") }
            #expect(HTTPDate.text(nanoseconds: time * 1_000_000_000) == text, "\(time), seed \(random.seed)")
            #expect(HTTPDate.nanoseconds(text) == time * 1_000_000_000, "\(text), seed \(random.seed)")
        }
    }

    /// The days on which calendars go wrong, in every year that 64 bits of nanoseconds cover.
    @Test(.enabled(if: Python.isThere)) func theTurnsOfMonthsAndYears() throws {
        let script = """
            import datetime as d, email.utils, sys
            for line in sys.stdin:
                days = [d.datetime(int(line), 3, 1) - d.timedelta(days=1)]
                days += [d.datetime(int(line), *day) for day in [(1, 1), (2, 28), (3, 1), (12, 31)]]
                days = [day.replace(tzinfo=d.timezone.utc) for day in days]
                print(';'.join(f'{int(day.timestamp())}={email.utils.format_datetime(day, usegmt=True)}' for day in days))
            """
        for line in try Python.answers(script, to: (1678...2261).map(String.init)) {
            for day in line.split(separator: ";") {
                let parts = day.split(separator: "=").map(String.init)
                let nanoseconds = try #require(Int64(parts[0])) * 1_000_000_000
                #expect(HTTPDate.text(nanoseconds: nanoseconds) == parts[1])
                #expect(HTTPDate.nanoseconds(parts[1]) == nanoseconds)
            }
        }
    }

    @Test func theEdgesOfTheNumbers() {
        // 2262-04-11 23:47:16.85 and 1677-09-21 00:12:43.15 are as far as 64 bits reach.
        #expect(HTTPDate.text(nanoseconds: .max) == "Fri, 11 Apr 2262 23:47:16 GMT")
        #expect(HTTPDate.text(nanoseconds: .min) == "Tue, 21 Sep 1677 00:12:43 GMT")
        #expect(HTTPDate.nanoseconds("Fri, 11 Apr 2262 23:47:17 GMT") == nil)
        #expect(HTTPDate.nanoseconds("Tue, 21 Sep 1677 00:12:43 GMT") == nil)
        #expect(HTTPDate.nanoseconds("Fri, 31 Dec 9999 23:59:59 GMT") == nil)
    }

    /// Only the one spelling counts: what is stored as a time has to come back as the same bytes.
    @Test(arguments: [
        "", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "Mon, 06 Nov 1994 08:49:37 GMT", "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 gmt",
        "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun,  06 Nov 1994 08:49:37 GMT",
        " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 01994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:60 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37:00 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Thu, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 1995 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT\n", "Sun,\t06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:\u{0663}7 GMT",
    ])
    func otherSpellings(text: String) {
        #expect(HTTPDate.nanoseconds(text) == nil)
    }
}
