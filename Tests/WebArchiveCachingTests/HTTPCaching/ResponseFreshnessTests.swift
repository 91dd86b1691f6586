// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCaching

@Suite struct ResponseFreshnessTests {
    private func lifetime(
        _ headers: HeaderFields, status: Int = 200, isDated: Bool = true, _ caching: HTTPCaching = HTTPCaching()
    ) throws -> Duration {
        let response = CacheSample.response(headers, status: status, isDated: isDated)
        let now = try CacheSample.time()
        return ResponseFreshness(of: response, received: now, now: now, caching).lifetime
    }

    private func age(_ headers: HeaderFields, after seconds: Int64, received: Int64? = 0) throws -> Duration {
        let response = CacheSample.response(headers, isDated: false)
        let received = try received.map(CacheSample.time)
        return ResponseFreshness(
            of: response, received: received, now: try CacheSample.time(seconds), HTTPCaching()
        ).age
    }

    @Test func maxAgeGoesBeforeExpiresAndSMaxageIsForOthers() throws {
        let expires = CacheSample.date(100)
        #expect(try lifetime(["Cache-Control": "max-age=60", "Expires": expires]) == .seconds(60))
        #expect(try lifetime(["Cache-Control": "s-maxage=60", "Expires": expires]) == .seconds(100))
        #expect(try lifetime(["Cache-Control": "max-age=0", "Expires": expires]) == .zero)
    }

    @Test func expiresCountsFromDateInAllThreeFormats() throws {
        #expect(try lifetime(["Expires": "Sun, 06 Nov 1994 08:49:38 GMT"]) == .seconds(1))
        #expect(try lifetime(["Expires": "Sunday, 06-Nov-94 08:49:39 GMT"]) == .seconds(2))
        #expect(try lifetime(["Expires": "Sun Nov  6 08:49:40 1994"]) == .seconds(3))
        #expect(try lifetime(["Expires": " \(CacheSample.date(4)) "]) == .seconds(4))
        // RFC 9111 section 4.2: names in any case.
        #expect(try lifetime(["Expires": "sun, 06 NOV 1994 08:49:38 gmt"]) == .seconds(1))
        #expect(try lifetime(["Expires": "SUNDAY, 06-nov-94 08:49:39 Gmt"]) == .seconds(2))
        #expect(try lifetime(["Expires": "SUN nov  6 08:49:40 1994"]) == .seconds(3))
        let late = CacheSample.response(["Expires": CacheSample.date(100)])
        let freshness = ResponseFreshness(
            of: late, received: try CacheSample.time(70), now: try CacheSample.time(70), HTTPCaching())
        #expect(freshness.lifetime == .seconds(100))
        #expect(freshness.age == .seconds(70))
    }

    @Test(arguments: [
        "0", "-1", "", "tomorrow", "Thu, 01 Jan 1970 00:00:00 GMT", CacheSample.date(0), CacheSample.date(-10),
        CacheSample.date(60) + ", " + CacheSample.date(60),
    ]) func anInvalidOrPastExpiryMeansNoFreshness(expires: String) throws {
        #expect(try lifetime(["Expires": expires, "Last-Modified": CacheSample.date(-1_000_000)]) == .zero)
    }

    @Test(arguments: ["Fri, 31 Dec 9999 23:59:59 GMT", "Fri Dec 31 23:59:59 9999", "Sat, 01 Jan 2400 00:00:00 GMT"])
    func anExpiryBeyondTheRangeOfDatesIsFarAway(late: String) throws {
        #expect(try lifetime(["Expires": late]) == .maximumDelta)
    }

    /// The first has the wrong day of the week, the second a month of 31 days that has 30.
    @Test(arguments: ["Thu, 31 Dec 9999 23:59:59 GMT", "Sun, 31 Nov 9999 00:00:00 GMT", "9999", "Fri, 31 Dec 99999"])
    func anExpiryThatIsNotADateIsPast(wrong: String) throws {
        #expect(try lifetime(["Expires": wrong]) == .zero)
    }

    @Test func withoutAnExpiryATenthOfTheAgeOfTheContentUpToAWeek() throws {
        #expect(try lifetime(["Last-Modified": CacheSample.date(-1000)]) == .seconds(100))
        #expect(try lifetime(["Last-Modified": CacheSample.date(-100_000_000)]) == .seconds(7 * 86_400))
        #expect(try lifetime(["Last-Modified": CacheSample.date(1000)]) == .zero)
        #expect(try lifetime(["Last-Modified": "yesterday"]) == .zero)
        #expect(try lifetime(["Last-Modified": CacheSample.date(-1000)], isDated: false) == .seconds(100))
    }

    @Test(arguments: [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])
    func aStatusThatIsCacheableHasAHeuristicLifetime(_ status: Int) throws {
        #expect(try lifetime(["Last-Modified": CacheSample.date(-1000)], status: status) == .seconds(100))
    }

    @Test(arguments: [201, 302, 303, 307, 400, 403, 500, 503])
    func anotherStatusHasNoHeuristicLifetime(_ status: Int) throws {
        #expect(try lifetime(["Last-Modified": CacheSample.date(-1000)], status: status) == .zero)
    }

    @Test func aResponseThatIsMarkedAsCacheableHasALifetimeWhateverItsStatus() throws {
        let marked: HeaderFields = ["Last-Modified": CacheSample.date(-1000), "Cache-Control": "public"]
        #expect(try lifetime(marked, status: 302) == .seconds(100))
        #expect(try lifetime(["Cache-Control": "max-age=5"], status: 302) == .seconds(5))
    }

    @Test func fractionLimitAndDefaultLifetimeAreSettable() throws {
        var caching = HTTPCaching()
        caching.heuristicFraction = 0.5
        caching.heuristicLimit = nil
        caching.defaultLifetime = .seconds(3600)
        #expect(try lifetime(["Last-Modified": CacheSample.date(-100_000_000)], caching) == .seconds(50_000_000))
        #expect(try lifetime([:], caching) == .seconds(3600))
        #expect(try lifetime([:]) == .zero)
        #expect(try lifetime([:], status: 500, caching) == .zero)
        caching.heuristicFraction = 7
        #expect(try lifetime(["Last-Modified": CacheSample.date(-10)], caching) == .seconds(10))
        caching.heuristicFraction = .nan
        #expect(try lifetime(["Last-Modified": CacheSample.date(-10)], caching) <= .seconds(10))
    }

    @Test func theAgeIsTheGreaterOfAgeAndTheDistanceToDateAndTheTimeSince() throws {
        #expect(try age([:], after: 30) == .seconds(30))
        #expect(try age(["Age": "5"], after: 30) == .seconds(35))
        #expect(try age(["Date": CacheSample.date(-20)], after: 30) == .seconds(50))
        #expect(try age(["Date": CacheSample.date(-20), "Age": "5"], after: 30) == .seconds(50))
        #expect(try age(["Date": CacheSample.date(-20), "Age": "40"], after: 30) == .seconds(70))
        // A server whose clock is ahead.
        #expect(try age(["Date": CacheSample.date(500)], after: 30) == .seconds(30))
    }

    @Test func theFirstAgeCounts() throws {
        #expect(try age(["Age": "5, 900"], after: 0) == .seconds(5))
        #expect(try age(["Age": " 5 "], after: 0) == .seconds(5))
        #expect(try age(["Age": "99999999999999999999"], after: 1) == .maximumDelta)
    }

    @Test(arguments: ["-5", "5.5", "five", "", "\"5\"", ", 5"])
    func anAgeThatIsNotANumberDoesNotCount(_ wrong: String) throws {
        #expect(try age(["Age": wrong], after: 1) == .seconds(1))
    }

    @Test func withoutTheTimeOfItsComingAResponseIsAsOldAsItsDateOrOlderThanAll() throws {
        #expect(try age(["Date": CacheSample.date(-20)], after: 30, received: nil) == .seconds(50))
        #expect(try age([:], after: 30, received: nil) == .maximumDelta)
    }

    @Test func aClockThatWasSetBackMakesNothingYoungerThanItCame() throws {
        #expect(try age(["Age": "5"], after: -1000) == .seconds(5))
    }

    @Test func aResponseIsFreshUntilItsAgeIsItsLifetime() {
        #expect(ResponseFreshness(lifetime: .seconds(60), age: .seconds(59)).isFresh)
        #expect(!ResponseFreshness(lifetime: .seconds(60), age: .seconds(60)).isFresh)
        #expect(ResponseFreshness(lifetime: .seconds(60), age: .seconds(60)).staleness == .zero)
        #expect(ResponseFreshness(lifetime: .seconds(60), age: .seconds(61)).staleness == .seconds(1))
        #expect(!ResponseFreshness(lifetime: .maximumDelta, age: .maximumDelta).isFresh)
    }

    @Test func agesAtTheEdgesNeitherOverflowNorRunBackwards() throws {
        var random = SeededGenerator()
        let seed = random.seed
        let edges: [Int64] = [.min, .min + 1, -1, 1, 2, .max - 1, .max, CacheSample.start * 1_000_000_000]
        let texts = ["", "0", "1", "2147483647", "2147483648", "18446744073709551616", "-1", "x"]
        let dates = ["Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "0"]
        func time() -> Int64 {
            Bool.random(using: &random)
                ? edges.randomElement(using: &random)! : .random(in: .min ... .max, using: &random)
        }
        func date() -> String {
            Bool.random(using: &random)
                ? dates.randomElement(using: &random)! : HTTPDate.text(nanoseconds: time())
        }
        for _ in 0..<4000 {
            let response = ArchiveResponse(headers: [
                "Age": texts.randomElement(using: &random)!, "Date": date(), "Expires": date(),
                "Last-Modified": date(),
            ])
            let received = ArchiveTime(nanoseconds: time())
            guard var now = ArchiveTime(nanoseconds: time()), var later = ArchiveTime(nanoseconds: time()) else {
                continue
            }
            if later < now { swap(&now, &later) }
            let first = ResponseFreshness(of: response, received: received, now: now, HTTPCaching())
            let second = ResponseFreshness(of: response, received: received, now: later, HTTPCaching())
            #expect(first.age >= .zero && second.age <= .maximumDelta, "seed \(seed)")
            #expect(first.age <= second.age, "seed \(seed)")
            #expect(first.lifetime == second.lifetime && first.lifetime >= .zero, "seed \(seed)")
            // A stale response does not become fresh with time.
            #expect(first.isFresh || !second.isFresh, "seed \(seed)")
        }
    }
}
