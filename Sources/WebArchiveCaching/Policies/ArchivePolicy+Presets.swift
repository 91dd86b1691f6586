// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Policies with the sound behaviour of earlier systems.
extension ArchivePolicy {
    /// The policy of RNCachingURLProtocol: online, load and replace the stored response; offline, the stored response of any age, redirects
    /// included; a missing one fails with `cannotConnectToHost`.
    public static let rnCachingURLProtocol = ArchivePolicy(
        name: "rnCachingURLProtocol", .networkFirst, offlineError: .cannotConnectToHost)

    /// The policy of the article on MWURLProtocol: like ``rnCachingURLProtocol``, with request, response and body in one record.
    ///
    /// It differed in how it stored, not in its responses: that a redirect is a record of its own holds for all policies here.
    public static let mwURLProtocol = ArchivePolicy(
        name: "mwURLProtocol", .networkFirst, offlineError: .cannotConnectToHost)

    /// The policy of YJURLProtocol: for a minute the stored response; then the stored one and a refresh in the background; after two days it
    /// is removed, and loaded again.
    public static let yjURLProtocol = ArchivePolicy(
        name: "yjURLProtocol",
        .staleWhileRevalidate(freshFor: .seconds(60), expiresAfter: .seconds(2 * 86_400)))

    /// The policy of AFCache: freshness by `Age`, `max-age`, `Expires` and `Last-Modified`, validation that keeps the body, and offline the
    /// stored response of any age.
    ///
    /// It knew none of RFC 5861: a stale response never comes before its validation.
    public static let afCache = ArchivePolicy(
        name: "afCache",
        .http {
            $0.honoursStaleWhileRevalidate = false
            $0.honoursStaleIfError = false
        })

    /// The policy of SDURLCache: 200, 203, 300, 301 and 410 are stored without explicit permission, and other statuses only with an explicit
    /// expiry; a tenth of the time since `Last-Modified` without a limit; an hour without any information. No stale response is served.
    ///
    /// Its rule against storing responses with a lifetime below five minutes is left out: an archive has no file per response.
    public static let sdURLCache = ArchivePolicy(
        name: "sdURLCache",
        .http {
            $0.heuristicLimit = nil
            $0.defaultLifetime = .seconds(3600)
            $0.heuristicallyCacheableStatuses = [200, 203, 300, 301, 410]
            $0.honoursStaleWhileRevalidate = false
            $0.honoursStaleIfError = false
            $0.maximumStalenessOffline = .zero
        })

    /// The policy of NSURLCache under `useProtocolCachePolicy`: RFC 9111 without stale responses, even offline.
    ///
    /// Requests' own cache policies, which it knew four of, all hold here with every policy.
    public static let nsURLCache = ArchivePolicy(
        name: "nsURLCache",
        .http {
            $0.honoursStaleWhileRevalidate = false
            $0.honoursStaleIfError = false
            $0.maximumStalenessOffline = .zero
        })
}

extension ArchivePolicy.Rule {
    /// Returns the rule ``http(_:)`` with changed options.
    fileprivate static func http(_ change: (inout HTTPCaching) -> Void) -> ArchivePolicy.Rule {
        var caching = HTTPCaching()
        change(&caching)
        return .http(caching)
    }
}
