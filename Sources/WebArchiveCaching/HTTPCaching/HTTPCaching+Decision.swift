// SPDX-License-Identifier: Apache-2.0

import WebArchive

extension HTTPCaching {
    /// Decides the response to a request. RFC 9111 section 4.
    ///
    /// A fresh response also satisfies a request with conditions of its own, which select 304 or a part of it (section 4.3.2). If the
    /// server must validate it, such a request goes to the server unchanged. `If-Match` and `If-Unmodified-Since` are for servers only.
    /// `Range` is not looked at; a stored response is a whole one, from which a part can be cut.
    ///
    /// - Parameter stored: the stored exchange for the URL; nil for none.
    func decide(_ request: ArchiveRequest, stored: StoredExchange?, now: ArchiveTime) -> CacheDecision {
        let requestDirectives = CacheDirectives(request: request.headers)
        guard let stored, stored.canSatisfy(request) else { return requestDirectives.isOnlyIfCached ? .fail : .load }
        let responseDirectives = CacheDirectives(stored.response.headers)
        let freshness = ResponseFreshness(of: stored.response, received: stored.time, now: now, self)
        let decision = unvalidated(requestDirectives, responseDirectives, freshness, stored)
        if request.isConditional {
            if let decision, case .serve = decision { return decision }
            return requestDirectives.isOnlyIfCached ? .fail : .load
        }
        if let decision { return decision }
        if requestDirectives.isOnlyIfCached { return .fail }
        return .revalidate(
            conditions: stored.response.validationConditions,
            mayServeStaleOnError: staleOnError(requestDirectives, responseDirectives, freshness))
    }

    /// Returns the use of the stored response without prior validation; nil if there is none.
    private func unvalidated(
        _ requestDirectives: CacheDirectives, _ responseDirectives: CacheDirectives, _ freshness: ResponseFreshness,
        _ stored: StoredExchange
    ) -> CacheDecision? {
        guard !requestDirectives.isNoCache, !responseDirectives.isNoCache else { return nil }
        // RFC 8246: a reload, which has max-age=0, is not a reason to validate immutable content while it is fresh.
        let isImmutable = responseDirectives.isImmutable && freshness.isFresh
        if let limit = requestDirectives.maxAge, freshness.age > limit, !isImmutable { return nil }
        if let reserve = requestDirectives.minFresh, freshness.lifetime < freshness.age + reserve { return nil }
        let age = freshness.age.wholeSeconds
        if freshness.isFresh { return .serve(age: age, isStale: false) }
        guard !responseDirectives.mustRevalidate else { return nil }
        if let limit = requestDirectives.maxStale, freshness.staleness <= limit {
            return .serve(age: age, isStale: true)
        }
        // "Unless max-stale is also present, the client does not wish to receive a stale response" (section 5.2.1.1).
        guard honoursStaleWhileRevalidate, requestDirectives.maxAge == nil, requestDirectives.maxStale == nil,
            let window = responseDirectives.staleWhileRevalidate,
            freshness.staleness <= window
        else { return nil }
        if requestDirectives.isOnlyIfCached { return .serve(age: age, isStale: true) }
        return .serveStaleAndRevalidate(age: age, conditions: stored.response.validationConditions)
    }

    /// Returns the failures after which a stale response may be served (section 4.2.4): those that `stale-if-error` names, and otherwise a
    /// server that cannot be reached, unless the request or the response forbids stale responses.
    private func staleOnError(
        _ requestDirectives: CacheDirectives, _ responseDirectives: CacheDirectives, _ freshness: ResponseFreshness
    ) -> StaleOnError {
        guard !responseDirectives.isNoCache, !responseDirectives.mustRevalidate, !requestDirectives.isNoCache else {
            return []
        }
        // The request's own directive takes precedence over the response's.
        let window = honoursStaleIfError ? requestDirectives.staleIfError ?? responseDirectives.staleIfError : nil
        if let window, freshness.staleness <= window { return [.unreachable, .serverError] }
        guard requestDirectives.maxAge == nil, requestDirectives.minFresh == nil, requestDirectives.maxStale == nil
        else { return [] }
        let limit = maximumStalenessOffline ?? .maximumDelta
        return limit > .zero && freshness.staleness <= limit ? .unreachable : []
    }

    /// Returns a stored response in the form for serving: with its age, and without the fields that may not be used unvalidated.
    /// RFC 9111 sections 4 and 5.2.2.4.
    func served(_ response: ArchiveResponse, age: Int) -> ArchiveResponse {
        var response = response
        for name in CacheDirectives(response.headers).noCacheFields { response.headers.removeAll(named: name) }
        response.headers.set(name: "Age", value: String(age))
        return response
    }
}

extension ArchiveRequest {
    /// Whether the request has a condition of its own. RFC 9110 section 13.1.
    fileprivate var isConditional: Bool { Preconditions.Field.allCases.contains { headers[$0.rawValue] != nil } }
}

extension StoredExchange {
    /// Returns whether method, conditions and `Vary` let the response satisfy this request. RFC 9111 sections 4, 4.1 and 4.3.2.
    fileprivate func canSatisfy(_ other: ArchiveRequest) -> Bool {
        guard ["GET", "HEAD"].contains(other.method), [other.method, "GET"].contains(request.method) else {
            return false
        }
        let ofServers: [Preconditions.Field] = [.ifMatch, .ifUnmodifiedSince]
        guard ofServers.allSatisfy({ other.headers[$0.rawValue] == nil }) else { return false }
        return VaryDifference(
            vary: response.headers["Vary"] ?? "", stored: VaryingFields(request.headers),
            requested: VaryingFields(other.headers)) == nil
    }
}
