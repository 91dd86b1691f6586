// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive

@testable import WebArchiveCaching

@Suite struct CacheDirectivesTests {
    private typealias Change = @Sendable (inout CacheDirectives) -> Void

    private static let longest = Duration.seconds(2_147_483_648 as Int64)

    private static let cases: [(String, Change)] = [
        ("", { _ in }),
        ("no-store", { $0.isNoStore = true }),
        ("NO-STORE", { $0.isNoStore = true }),
        ("no-store=\"x\"", { $0.isNoStore = true }),
        ("no-cache", { $0.isNoCache = true }),
        ("no-cache=\"Set-Cookie, X-Secret\"", { $0.noCacheFields = ["set-cookie", "x-secret"] }),
        ("no-cache=set-cookie", { $0.noCacheFields = ["set-cookie"] }),
        ("no-cache=\"\"", { $0.isNoCache = true }),
        ("no-cache=\" , \"", { $0.isNoCache = true }),
        ("max-age=60", { $0.maxAge = .seconds(60) }),
        ("max-age=\"60\"", { $0.maxAge = .seconds(60) }),
        ("max-age=\"6\\0\"", { $0.maxAge = .seconds(60) }),
        ("max-age=0060", { $0.maxAge = .seconds(60) }),
        (" , ,max-age=60,, ", { $0.maxAge = .seconds(60) }),
        // The most restrictive of several, and the most restrictive there is for what cannot be read.
        ("max-age=60, max-age=10, max-age=600", { $0.maxAge = .seconds(10) }),
        ("max-age=60, max-age=", { $0.maxAge = .zero }),
        ("max-age", { $0.maxAge = .zero }),
        ("max-age=-60", { $0.maxAge = .zero }),
        ("max-age=1.5", { $0.maxAge = .zero }),
        ("max-age=60s", { $0.maxAge = .zero }),
        ("max-age='60'", { $0.maxAge = .zero }),
        ("max-age=\"60\"0", { $0.maxAge = .seconds(600) }),
        ("max-age=60 30", { $0.maxAge = .zero }),
        ("max-age=\u{0661}", { $0.maxAge = .zero }),
        // RFC 9111 section 1.2.2.
        ("max-age=2147483647", { $0.maxAge = .seconds(2_147_483_647) }),
        ("max-age=2147483648", { $0.maxAge = longest }),
        ("max-age=2147483649", { $0.maxAge = longest }),
        ("max-age=99999999999999999999999999", { $0.maxAge = longest }),
        ("max-stale", { $0.maxStale = longest }),
        ("max-stale=10", { $0.maxStale = .seconds(10) }),
        ("max-stale, max-stale=10", { $0.maxStale = .seconds(10) }),
        ("max-stale=ten", { $0.maxStale = .zero }),
        ("min-fresh=10, min-fresh=20", { $0.minFresh = .seconds(20) }),
        ("min-fresh=ten", { $0.minFresh = longest }),
        ("only-if-cached", { $0.isOnlyIfCached = true }),
        ("must-revalidate, must-understand", { ($0.mustRevalidate, $0.mustUnderstand) = (true, true) }),
        ("public, private=\"x\"", { ($0.isPublic, $0.isPrivate) = (true, true) }),
        ("immutable", { $0.isImmutable = true }),
        ("stale-while-revalidate=30", { $0.staleWhileRevalidate = .seconds(30) }),
        ("stale-while-revalidate", { $0.staleWhileRevalidate = .zero }),
        ("stale-if-error=1200, stale-if-error=1", { $0.staleIfError = .seconds(1) }),
        // Passed over: what is unknown, what speaks to shared caches, what only looks like a directive.
        ("s-maxage=60, proxy-revalidate, no-transform, community=\"UCI\"", { _ in }),
        ("x=\"no-store, max-age=1\", y=\"\\\", no-cache\"", { _ in }),
        ("x-no-store, no-storex, no store", { _ in }),
        ("=no-store", { _ in }),
        // A quote that is never closed hides nothing.
        (
            "no-cache=\"set-cookie, no-store",
            {
                $0.noCacheFields = ["\"set-cookie"]
                $0.isNoStore = true
            }
        ),
    ]

    @Test(arguments: cases.indices) func eachDirectiveIsRead(number: Int) {
        let (value, change) = Self.cases[number]
        var expected = CacheDirectives([:])
        change(&expected)
        #expect(CacheDirectives(["Cache-Control": value]) == expected, "\(value)")
    }

    @Test func severalFieldsAreOneList() {
        let directives = CacheDirectives(["cache-control": "max-age=5", "X": "y", "Cache-Control": "no-store"])
        #expect(directives.isNoStore && directives.maxAge == .seconds(5))
    }

    @Test func pragmaCountsInARequestWithoutCacheControl() {
        #expect(CacheDirectives(request: ["Pragma": "x, No-Cache"]).isNoCache)
        #expect(!CacheDirectives(request: ["Pragma": "no-cache", "Cache-Control": "max-age=5"]).isNoCache)
        #expect(!CacheDirectives(request: ["Pragma": "foo"]).isNoCache)
        #expect(!CacheDirectives(["Pragma": "no-cache"]).isNoCache)
    }
}
