// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCaching

@Suite struct PresetTests {
    private func caching(_ policy: ArchivePolicy) throws -> HTTPCaching {
        guard case .http(let caching) = policy.rule else { throw Unexpected("no HTTP policy") }
        return caching
    }

    @Test func `presets have names of their own`() {
        let presets: [ArchivePolicy] = [
            .rnCachingURLProtocol, .mwURLProtocol, .yjURLProtocol, .afCache, .sdURLCache, .nsURLCache,
        ]
        #expect(Set(presets.map(\.name)).count == presets.count)
        #expect(ArchivePolicy.rnCachingURLProtocol.rule == .networkFirst)
        #expect(ArchivePolicy.mwURLProtocol.rule == .networkFirst)
    }

    @Test func `YJURLProtocol has its minute and its two days`() {
        #expect(
            ArchivePolicy.yjURLProtocol.rule
                == .staleWhileRevalidate(freshFor: .seconds(60), expiresAfter: .seconds(48 * 3600)))
    }

    @Test func `SDURLCache keeps an hour what says nothing, and redirects only if told`() throws {
        let caching = try caching(.sdURLCache)
        let request = CacheSample.request()
        func decision(_ response: HeaderFields, status: Int, age: Int64) throws -> CacheDecision {
            caching.decide(
                request, stored: try CacheSample.stored(response, status: status), now: try CacheSample.time(age))
        }
        let fresh = CacheDecision.serve(age: 3599, isStale: false)
        #expect(try decision([:], status: 200, age: 3599) == fresh)
        #expect(try decision([:], status: 200, age: 3600) == .revalidate(conditions: [:], mayServeStaleOnError: []))
        for status in [200, 203, 300, 301, 410] {
            #expect(caching.isStorable(request, CacheSample.response([:], status: status)), "\(status)")
        }
        for status in [302, 307, 404, 500] {
            #expect(!caching.isStorable(request, CacheSample.response([:], status: status)), "\(status)")
        }
        #expect(caching.isStorable(request, CacheSample.response(["Cache-Control": "max-age=9"], status: 302)))
    }

    @Test func `AFCache serves offline what it has, NSURLCache nothing stale`() throws {
        let stored = try CacheSample.stored(["Cache-Control": "max-age=60, stale-while-revalidate=9999"])
        let later = try CacheSample.time(1000)
        let request = CacheSample.request()
        #expect(
            try caching(.afCache).decide(request, stored: stored, now: later)
                == .revalidate(conditions: [:], mayServeStaleOnError: .unreachable))
        #expect(
            try caching(.nsURLCache).decide(request, stored: stored, now: later)
                == .revalidate(conditions: [:], mayServeStaleOnError: []))
    }
}
