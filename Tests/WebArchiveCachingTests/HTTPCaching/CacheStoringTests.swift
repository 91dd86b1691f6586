// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive

@testable import WebArchiveCaching

@Suite struct CacheStoringTests {
    private static let cases: [(method: String, asked: String, status: Int, said: String, isStored: Bool)] = [
        ("GET", "", 200, "", true),
        ("HEAD", "", 200, "", true),
        ("POST", "", 200, "max-age=60", false),
        ("PUT", "", 200, "max-age=60", false),
        ("get", "", 200, "max-age=60", false),
        // Section 3: no-store of either side, whatever else is said.
        ("GET", "no-store", 200, "max-age=60", false),
        ("GET", "", 200, "no-store", false),
        ("GET", "", 200, "public, max-age=60, no-store", false),
        ("GET", "no-cache", 200, "", true),
        ("GET", "", 200, "no-cache", true),
        ("GET", "", 200, "must-revalidate", true),
        // A private cache.
        ("GET", "", 200, "private", true),
        ("GET", "", 302, "private", true),
        // Statuses by themselves, and with an explicit word.
        ("GET", "", 302, "", false),
        ("GET", "", 302, "public", true),
        ("GET", "", 307, "max-age=60", true),
        ("GET", "", 302, "s-maxage=60", false),
        ("GET", "", 404, "", true),
        ("GET", "", 403, "", false),
        ("GET", "", 500, "", false),
        ("GET", "", 503, "max-age=60", true),
        // Never, or not final.
        ("GET", "", 206, "max-age=60", false),
        ("GET", "", 304, "max-age=60", false),
        ("GET", "", 412, "max-age=60", false),
        ("GET", "", 416, "max-age=60", false),
        ("GET", "", 103, "max-age=60", false),
        ("GET", "", 999, "max-age=60", false),
        // Section 5.2.2.3: no-store is for caches that do not know must-understand.
        ("GET", "", 200, "must-understand, no-store", true),
        ("GET", "", 299, "must-understand, no-store, max-age=60", false),
        ("GET", "", 299, "must-understand, max-age=60", false),
        ("GET", "", 299, "max-age=60", true),
        ("GET", "no-store", 200, "must-understand, no-store", false),
    ]

    @Test(arguments: cases.indices) func storableResponses(number: Int) {
        let (method, asked, status, said, isStored) = Self.cases[number]
        let request = CacheSample.request(method, asked.isEmpty ? [:] : ["Cache-Control": asked])
        let response = CacheSample.response(said.isEmpty ? [:] : ["Cache-Control": said], status: status)
        #expect(HTTPCaching().isStorable(request, response) == isStored, "\(Self.cases[number])")
    }

    @Test func anExpiryIsEnoughAlsoOneThatHasPassed() {
        #expect(HTTPCaching().isStorable(CacheSample.request(), CacheSample.response(["Expires": "0"], status: 302)))
    }

    @Test(arguments: [("*", false), ("Accept, *", false), ("Accept", true)])
    func aResponseThatVariesWithEverythingIsOfNoUse(_ vary: String, _ isStored: Bool) {
        let response = CacheSample.response(["Vary": vary, "Cache-Control": "max-age=60"])
        #expect(HTTPCaching().isStorable(CacheSample.request(), response) == isStored)
    }

    @Test func noStoreAndTheStatusesAreSettable() {
        var caching = HTTPCaching()
        caching.honoursNoStore = false
        caching.heuristicallyCacheableStatuses = [418]
        let request = CacheSample.request("GET", ["Cache-Control": "no-store"])
        #expect(caching.isStorable(request, CacheSample.response(["Cache-Control": "no-store"], status: 418)))
        #expect(!caching.isStorable(request, CacheSample.response([:])))
        caching.heuristicallyCacheableStatuses = [206]
        #expect(!caching.isStorable(request, CacheSample.response([:], status: 206)))
    }

    // RFC 9111 section 4.4.

    private func invalidated(_ method: String, _ status: Int, _ headers: HeaderFields = [:]) throws -> [String] {
        HTTPCaching().invalidated(
            method: method, url: try CanonicalURL(CacheSample.url),
            response: ArchiveResponse(status: status, headers: headers)
        ).map(\.description)
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "UNHEARD-OF", "get"])
    func unsafeMethodsInvalidateTheirURL(method: String) throws {
        #expect(try invalidated(method, 200) == [CacheSample.url])
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "QUERY"])
    func safeMethodsInvalidateNothing(method: String) throws { #expect(try invalidated(method, 200).isEmpty) }

    @Test(arguments: [(204, false), (303, false), (399, false), (400, true), (500, true), (199, true)])
    func unsafeMethodsThatFailedInvalidateNothing(status: Int, isError: Bool) throws {
        #expect(try invalidated("PUT", status).isEmpty == isError)
    }

    @Test func locationAndContentLocationGoWithItAtTheSameOrigin() throws {
        #expect(
            try invalidated("POST", 201, ["Location": "/b", "Content-Location": "HTTPS://EXAMPLE.com:443/c#d"])
                == [CacheSample.url, "https://example.com/b", "https://example.com/c"])
        #expect(try invalidated("POST", 201, ["Location": "a", "Content-Location": "/a"]) == [CacheSample.url])
        for other in ["http://example.com/b", "https://other.example/b", "https://example.com:8443/b", "urn:a:b"] {
            #expect(try invalidated("POST", 201, ["Location": other]) == [CacheSample.url], "\(other)")
        }
    }
}
