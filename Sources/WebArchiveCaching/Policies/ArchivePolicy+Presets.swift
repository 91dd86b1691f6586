// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Policies of earlier systems, where they were sound.
extension ArchivePolicy {
    /// As RNCachingURLProtocol: online, load and replace what is stored; offline, what is stored, however old, redirects included; what is not
    /// stored fails with `cannotConnectToHost`.
    public static let rnCachingURLProtocol = ArchivePolicy(
        name: "rnCachingURLProtocol", .networkFirst, offlineError: .cannotConnectToHost)

    /// As the article on MWURLProtocol: like ``rnCachingURLProtocol``, with request, response and body in one record.
    ///
    /// It differed in how it stored, not in its responses: that a redirect is a record of its own holds for all policies here.
    public static let mwURLProtocol = ArchivePolicy(
        name: "mwURLProtocol", .networkFirst, offlineError: .cannotConnectToHost)

    /// As YJURLProtocol: for a minute what is stored; then what is stored, and a refresh in the background; after two days it is removed, and loaded again.
    public static let yjURLProtocol = ArchivePolicy(
        name: "yjURLProtocol",
        .staleWhileRevalidate(freshFor: .seconds(60), expiresAfter: .seconds(2 * 86_400)))

    /// As AFCache: freshness by `Age`, `max-age`, `Expires` and `Last-Modified`, validation that keeps the body, and offline what is stored, however old.
    ///
    /// It knew none of RFC 5861: a stale response never comes before its validation.
    public static let afCache = ArchivePolicy(
        name: "afCache",
        .http {
            $0.honoursStaleWhileRevalidate = false
            $0.honoursStaleIfError = false
        })

    /// As SDURLCache: 200, 203, 300, 301 and 410 are stored without being marked for it, and other statuses only with an explicit expiry; a tenth of the
    /// time since `Last-Modified` without a limit; an hour for what says nothing. Nothing stale is served.
    ///
    /// Its rule that what has less than five minutes to live is not worth a file is left out: an archive has no file per response.
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

    /// As NSURLCache under `useProtocolCachePolicy`: RFC 9111 without any stale response, offline neither.
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
    /// ``http(_:)`` with other options than the usual ones.
    fileprivate static func http(_ change: (inout HTTPCaching) -> Void) -> ArchivePolicy.Rule {
        var caching = HTTPCaching()
        change(&caching)
        return .http(caching)
    }
}
