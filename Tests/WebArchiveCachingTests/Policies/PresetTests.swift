// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCaching

@Suite struct PresetTests {
    private func caching(_ policy: ArchivePolicy) throws -> HTTPCaching {
        guard case .http(let caching) = policy.rule else { throw Unexpected("no HTTP policy") }
        return caching
    }

    @Test func presetsHaveNamesOfTheirOwn() {
        let presets: [ArchivePolicy] = [
            .rnCachingURLProtocol, .mwURLProtocol, .yjURLProtocol, .afCache, .sdURLCache, .nsURLCache,
        ]
        #expect(Set(presets.map(\.name)).count == presets.count)
    }

    /// The decision of a policy for a URL whose response, if there is one, was stored some seconds ago.
    private func decide(
        _ policy: ArchivePolicy, isStored: Bool = true, isOnline: Bool, age: Int64 = 0
    ) throws -> PolicyDecision {
        policy.decide(
            PolicyRequest(request: CacheSample.request(), isOnline: isOnline, now: try CacheSample.time(age)),
            stored: isStored ? try CacheSample.stored([:]) : nil)
    }

    @Test(arguments: [ArchivePolicy.rnCachingURLProtocol, .mwURLProtocol])
    func rnCachingURLProtocolAndMWURLProtocolLoadWhileTheyCanAndServeOfflineWhatTheyHave(
        _ policy: ArchivePolicy
    ) throws {
        guard case .load(let conditions, let fallback) = try decide(policy, isOnline: true) else {
            throw Unexpected("not loaded")
        }
        #expect(conditions == [:] && fallback.stored != nil && fallback.failures == .unreachable)
        guard case .serve(_, isStale: false, refresh: nil) = try decide(policy, isOnline: false, age: 1 << 30) else {
            throw Unexpected("not served")
        }
        guard case .fail(URLError.Code.cannotConnectToHost, _) = try decide(policy, isStored: false, isOnline: false)
        else {
            throw Unexpected("no failure")
        }
    }

    @Test(arguments: [
        (0, "fresh"), (59, "fresh"), (60, "stale"), (48 * 3600 - 1, "stale"), (48 * 3600, "expired"),
    ])
    func yJURLProtocolHasItsMinuteAndItsTwoDays(_ age: Int, _ expected: String) throws {
        let found =
            switch try decide(.yjURLProtocol, isOnline: true, age: Int64(age)) {
            case .serve(_, isStale: false, refresh: nil): "fresh"
            case .serve(_, isStale: true, refresh: .some): "stale"
            case .expired: "expired"
            default: "other"
            }
        #expect(found == expected)
    }

    @Test func sdURLCacheUsesOneHourWithoutExplicitFreshnessAndKeepsRedirectsOnlyWithIt() throws {
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

    @Test func aFCacheServesStoredResponsesOfflineNSURLCacheNothingStale() throws {
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
