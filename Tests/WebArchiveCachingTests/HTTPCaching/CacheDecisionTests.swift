// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive

@testable import WebArchiveCaching

@Suite struct CacheDecisionTests {
    private enum Outcome: Equatable {
        case fresh
        case stale
        case revalidate(StaleOnError)
        case serveAndRevalidate
        case load
        case fail
    }

    private static let always: StaleOnError = [.unreachable, .serverError]

    /// `Cache-Control` of the request and of the response, the age in seconds, and what comes of it.
    private static let cases: [(asked: String, said: String, age: Int64, Outcome)] = [
        ("", "max-age=60", 59, .fresh),
        ("", "max-age=60", 60, .revalidate(.unreachable)),
        ("", "", 0, .revalidate(.unreachable)),
        // RFC 9111 section 5.2.1.
        ("max-age=30", "max-age=60", 30, .fresh),
        ("max-age=30", "max-age=60", 31, .revalidate([])),
        ("max-age=0", "max-age=60", 1, .revalidate([])),
        ("max-age=90", "max-age=60", 61, .revalidate([])),
        ("max-age=x", "max-age=60", 1, .revalidate([])),
        ("min-fresh=20", "max-age=60", 40, .fresh),
        ("min-fresh=20", "max-age=60", 41, .revalidate([])),
        ("max-stale", "max-age=60", 100_000, .stale),
        ("max-stale=10", "max-age=60", 70, .stale),
        ("max-stale=10", "max-age=60", 71, .revalidate([])),
        ("max-stale=10, max-age=65", "max-age=60", 65, .stale),
        ("max-stale=10, max-age=65", "max-age=60", 66, .revalidate([])),
        ("max-stale=10, min-fresh=1", "max-age=60", 61, .revalidate([])),
        ("max-stale=x", "max-age=60", 61, .revalidate([])),
        ("no-cache", "max-age=60", 0, .revalidate([])),
        ("no-store", "max-age=60", 0, .fresh),
        ("no-transform, unknown=\"a,b\"", "max-age=60", 0, .fresh),
        ("only-if-cached", "max-age=60", 59, .fresh),
        ("only-if-cached", "max-age=60", 60, .fail),
        ("only-if-cached, max-stale=5", "max-age=60", 65, .stale),
        ("only-if-cached, no-cache", "max-age=60", 1, .fail),
        // Section 5.2.2.
        ("", "no-cache, max-age=60", 1, .revalidate([])),
        ("max-stale", "no-cache, max-age=60", 1, .revalidate([])),
        ("", "no-cache=\"set-cookie\", max-age=60", 1, .fresh),
        ("", "must-revalidate, max-age=60", 59, .fresh),
        ("", "must-revalidate, max-age=60", 60, .revalidate([])),
        ("max-stale", "must-revalidate, max-age=60", 60, .revalidate([])),
        ("max-stale", "proxy-revalidate, max-age=60", 60, .stale),
        ("", "s-maxage=60", 1, .revalidate(.unreachable)),
        ("", "private, max-age=60", 1, .fresh),
        ("", "no-cache, no-store, max-age=60", 1, .revalidate([])),
        // RFC 8246.
        ("max-age=0", "max-age=31536000, immutable", 1000, .fresh),
        ("no-cache", "max-age=31536000, immutable", 1000, .revalidate([])),
        ("max-age=0", "max-age=60, immutable", 61, .revalidate([])),
        ("max-age=65, max-stale=10", "max-age=60, immutable", 66, .revalidate([])),
        ("", "immutable", 1, .revalidate(.unreachable)),
        // RFC 5861: the examples of sections 3.1 and 4.1, and what restricts them.
        ("", "max-age=600, stale-while-revalidate=30", 599, .fresh),
        ("", "max-age=600, stale-while-revalidate=30", 630, .serveAndRevalidate),
        ("", "max-age=600, stale-while-revalidate=30", 631, .revalidate(.unreachable)),
        ("", "max-age=600, stale-while-revalidate=30, must-revalidate", 601, .revalidate([])),
        ("max-age=700", "max-age=600, stale-while-revalidate=30", 610, .revalidate([])),
        ("max-stale=5", "max-age=600, stale-while-revalidate=30", 610, .revalidate([])),
        ("no-cache", "max-age=600, stale-while-revalidate=30", 610, .revalidate([])),
        ("only-if-cached", "max-age=600, stale-while-revalidate=30", 610, .stale),
        ("", "max-age=600, stale-if-error=1200", 1800, .revalidate(always)),
        ("", "max-age=600, stale-if-error=1200", 1801, .revalidate(.unreachable)),
        ("stale-if-error=60", "max-age=600", 660, .revalidate(always)),
        ("stale-if-error=60", "max-age=600, stale-if-error=1200", 661, .revalidate(.unreachable)),
        ("stale-if-error=60, max-age=1", "max-age=600", 20, .revalidate(always)),
        ("stale-if-error=60", "max-age=600, must-revalidate", 601, .revalidate([])),
    ]

    private func decide(
        _ request: HeaderFields, _ response: HeaderFields, age: Int64, _ caching: HTTPCaching = HTTPCaching()
    ) throws -> CacheDecision {
        caching.decide(
            CacheSample.request("GET", request), stored: try CacheSample.stored(response),
            now: try CacheSample.time(age))
    }

    private func outcome(_ decision: CacheDecision, age: Int64) -> Outcome {
        switch decision {
        case .serve(let served, let isStale):
            #expect(served == Int(age))
            return isStale ? .stale : .fresh
        case .revalidate(_, let allowed): return .revalidate(allowed)
        case .serveStaleAndRevalidate(let served, _):
            #expect(served == Int(age))
            return .serveAndRevalidate
        case .load: return .load
        case .fail: return .fail
        }
    }

    @Test(arguments: cases.indices) func directivesOfBothSidesDecide(number: Int) throws {
        let (asked, said, age, expected) = Self.cases[number]
        let request: HeaderFields = asked.isEmpty ? [:] : ["Cache-Control": asked]
        let decision = try decide(request, ["Cache-Control": said], age: age)
        #expect(outcome(decision, age: age) == expected, "asked \(asked), said \(said), \(age) s")
    }

    @Test func nothingStoredIsLoadedOrFails() throws {
        let caching = HTTPCaching()
        let now = try CacheSample.time()
        #expect(caching.decide(CacheSample.request(), stored: nil, now: now) == .load)
        let cachedOnly = CacheSample.request("GET", ["Cache-Control": "only-if-cached"])
        #expect(caching.decide(cachedOnly, stored: nil, now: now) == .fail)
    }

    @Test(arguments: [
        ("GET", "GET", true), ("HEAD", "GET", true), ("HEAD", "HEAD", true), ("GET", "HEAD", false),
        ("POST", "POST", false), ("POST", "GET", false), ("get", "GET", false), ("DELETE", "GET", false),
    ])
    func aResponseToGETServesHEADAndNothingServesOtherMethods(
        _ method: String, _ storedMethod: String, _ isServed: Bool
    ) throws {
        let stored = try CacheSample.stored(
            ["Cache-Control": "max-age=60"], request: CacheSample.request(storedMethod))
        let decision = HTTPCaching().decide(CacheSample.request(method), stored: stored, now: try CacheSample.time())
        #expect(decision == (isServed ? .serve(age: 0, isStale: false) : .load))
    }

    @Test(arguments: ["If-Match", "If-Unmodified-Since"])
    func aConditionForServersIsNotTheCaches(name: String) throws {
        #expect(try decide([HeaderField(name: name, value: "\"a\"")], ["Cache-Control": "max-age=60"], age: 1) == .load)
    }

    /// RFC 9111 section 4.3.2.
    @Test(arguments: ["If-None-Match", "If-Modified-Since", "If-Range"])
    func aConditionOfTheRequestIsEvaluatedByTheCacheWhileTheResponseIsFresh(name: String) throws {
        let condition = HeaderField(name: name, value: "\"a\"")
        func decide(_ field: HeaderField?, _ cacheControl: String, age: Int64) throws -> CacheDecision {
            try self.decide(
                HeaderFields([condition] + (field.map { [$0] } ?? [])), ["Cache-Control": cacheControl], age: age)
        }
        #expect(try decide(nil, "max-age=60", age: 1) == .serve(age: 1, isStale: false))
        #expect(try decide(nil, "max-age=60", age: 61) == .load)
        #expect(try decide(nil, "max-age=60, stale-while-revalidate=60", age: 61) == .load)
        #expect(try decide(HeaderField(name: "Cache-Control", value: "no-cache"), "max-age=60", age: 1) == .load)
        #expect(try decide(HeaderField(name: "Cache-Control", value: "only-if-cached"), "max-age=60", age: 61) == .fail)
    }

    @Test func aRangeIsCutFromTheStoredResponse() throws {
        let decision = try decide(["Range": "bytes=0-1"], ["Cache-Control": "max-age=60"], age: 1)
        #expect(decision == .serve(age: 1, isStale: false))
    }

    /// The example of RFC 9111 section 4.1, and its rules of normalisation.
    @Test func varyComparesTheRequestFields() throws {
        let stored = CacheSample.request("GET", ["Accept-Language": "de, en", "X-Mode": "a"])
        func decision(_ vary: String, _ headers: HeaderFields) throws -> CacheDecision {
            HTTPCaching().decide(
                CacheSample.request("GET", headers),
                stored: try CacheSample.stored(["Cache-Control": "max-age=60", "Vary": vary], request: stored),
                now: try CacheSample.time())
        }
        let served = CacheDecision.serve(age: 0, isStale: false)
        #expect(try decision("accept-language", ["accept-language": "de,en"]) == served)
        #expect(try decision("accept-language", ["Accept-Language": "en"]) == .load)
        #expect(try decision("accept-language", [:]) == .load)
        #expect(try decision("X-Other", [:]) == served)
        #expect(try decision("X-Other", ["X-Other": "1"]) == .load)
        #expect(try decision("Accept-Language, X-Mode", ["Accept-Language": "de, en", "X-Mode": "b"]) == .load)
        #expect(try decision("*", ["Accept-Language": "de, en", "X-Mode": "a"]) == .load)
        #expect(try decision("X-Mode, *", ["Accept-Language": "de, en", "X-Mode": "a"]) == .load)
    }

    @Test func revalidationSendsTheValidators() throws {
        let modified = CacheSample.date(-10)
        func conditions(_ response: HeaderFields) throws -> HeaderFields? {
            var response = response
            response.append(name: "Cache-Control", value: "no-cache")
            guard case .revalidate(let conditions, _) = try decide([:], response, age: 0) else { return nil }
            return conditions
        }
        #expect(try conditions([:]) == [:])
        #expect(try conditions(["ETag": "\"a\""]) == ["If-None-Match": "\"a\""])
        #expect(try conditions(["Etag": " W/\"a,b\""]) == ["If-None-Match": "W/\"a,b\""])
        #expect(try conditions(["Last-Modified": modified]) == ["If-Modified-Since": modified])
        #expect(
            try conditions(["Last-Modified": modified, "ETag": "\"a\""])
                == ["If-None-Match": "\"a\"", "If-Modified-Since": modified])
        #expect(try conditions(["Last-Modified": "0"]) == [:])
    }

    @Test(arguments: ["a", "\"a", "\"a\" x", "\"a\", \"b\"", "w/\"a\"", "\"a\r\nX: y\"", ""])
    func aTagThatAServerCouldReadAsSomethingElseIsNotSent(_ tag: String) throws {
        var conditions: HeaderFields?
        if case .revalidate(let found, _) = try decide([:], ["ETag": tag, "Cache-Control": "no-cache"], age: 0) {
            conditions = found
        }
        #expect(conditions == [:])
    }

    @Test func theOptionsOfRFC5861CanBeSwitchedOff() throws {
        var caching = HTTPCaching()
        let response: HeaderFields = ["Cache-Control": "max-age=1, stale-while-revalidate=60, stale-if-error=60"]
        caching.honoursStaleWhileRevalidate = false
        #expect(
            try decide([:], response, age: 2, caching)
                == .revalidate(conditions: [:], mayServeStaleOnError: Self.always))
        caching.honoursStaleIfError = false
        #expect(
            try decide([:], response, age: 2, caching)
                == .revalidate(conditions: [:], mayServeStaleOnError: .unreachable)
        )
    }

    @Test func offlineAResponseIsServedAsStaleAsTheOptionsAllow() throws {
        var caching = HTTPCaching()
        caching.maximumStalenessOffline = .seconds(100)
        let response: HeaderFields = ["Cache-Control": "max-age=60"]
        func allowed(_ age: Int64) throws -> CacheDecision { try decide([:], response, age: age, caching) }
        #expect(try allowed(160) == .revalidate(conditions: [:], mayServeStaleOnError: .unreachable))
        #expect(try allowed(161) == .revalidate(conditions: [:], mayServeStaleOnError: []))
        caching.maximumStalenessOffline = .zero
        #expect(try allowed(61) == .revalidate(conditions: [:], mayServeStaleOnError: []))
    }

    @Test func aServedResponseHasItsAgeAndNoFieldThatNeedsValidation() {
        let response = CacheSample.response(
            ["Cache-Control": "max-age=60, no-cache=\"Set-Cookie\"", "set-cookie": "a=b", "Age": "3", "X": "y"])
        let served = HTTPCaching().served(response, age: 17)
        #expect(served.headers["Age"] == "17")
        #expect(served.headers["Set-Cookie"] == nil)
        #expect(served.headers["X"] == "y")
    }
}
