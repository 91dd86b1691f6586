// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The freshness lifetime and the age of a response. RFC 9111 section 4.2.
///
/// An archive keeps one time per exchange, that of the response. The delay between request and response, by which a cache
/// corrects `Age`, therefore counts as zero. A clock that was set back since then does not make a response younger than at
/// its arrival.
struct ResponseFreshness: Equatable {
    /// The freshness lifetime (section 4.2.1); at most ``Swift/Duration/maximumDelta``, as is the age.
    let lifetime: Duration
    /// The current age (section 4.2.3). The maximum if the time of the response is unknown.
    let age: Duration

    var isFresh: Bool { lifetime > age }
    /// The time since the response stopped being fresh.
    var staleness: Duration { max(.zero, age - lifetime) }

    /// Takes both, clamped between zero and 2^31 seconds.
    init(lifetime: Duration, age: Duration) {
        self.lifetime = min(max(.zero, lifetime), .maximumDelta)
        self.age = min(max(.zero, age), .maximumDelta)
    }

    /// Computes the freshness of a response at a time.
    ///
    /// - Parameter received: the time of the response; nil if it is unknown, and `Date` must replace it.
    init(of response: ArchiveResponse, received: ArchiveTime?, now: ArchiveTime, _ caching: HTTPCaching) {
        let date = FieldDate.sinceEpoch(response.headers["Date"])
        // A response without a date is given that of its coming (RFC 9110 section 6.6.1).
        let base = date ?? received?.sinceEpoch
        self.init(
            lifetime: Self.lifetime(of: response, date: base, caching),
            age: Self.age(response.headers["Age"], date: date, received: received?.sinceEpoch, now: now.sinceEpoch))
    }

    /// Returns the current age (section 4.2.3), without a correction for the delay of the network.
    private static func age(_ field: String?, date: Duration?, received: Duration?, now: Duration) -> Duration {
        guard let received = received ?? date else { return .maximumDelta }
        let apparent = max(.zero, received - (date ?? received))
        // The first of several counts, and a value that is not a number does not (section 5.1).
        let first = field?.split(separator: ",", omittingEmptySubsequences: false).first
        let corrected = Duration.delta(first.map { String($0.trimmingOptionalWhitespace) }) ?? .zero
        let resident = max(.zero, now - received)
        return max(apparent, corrected) + resident
    }

    /// Returns the freshness lifetime (section 4.2.1): of `max-age`, else of `Expires`, else a heuristic one. `s-maxage` is for shared caches.
    private static func lifetime(of response: ArchiveResponse, date: Duration?, _ caching: HTTPCaching) -> Duration {
        let directives = CacheDirectives(response.headers)
        if let maxAge = directives.maxAge { return maxAge }
        if let expires = response.headers["Expires"] {
            // An invalid date is in the past, such as "0" (section 5.3).
            guard let expires = FieldDate.sinceEpoch(expires), let date else { return .zero }
            return expires - date
        }
        // Section 4.2.2.
        guard directives.isPublic || caching.heuristicallyCacheableStatuses.contains(response.status) else {
            return .zero
        }
        guard let modified = response.headers["Last-Modified"] else { return caching.defaultLifetime }
        guard let modified = FieldDate.sinceEpoch(modified), let date, modified < date else { return .zero }
        let fraction = Double((date - modified).components.seconds) * min(max(0, caching.heuristicFraction), 1)
        return min(.seconds(Int64(fraction)), caching.heuristicLimit ?? .maximumDelta)
    }
}
