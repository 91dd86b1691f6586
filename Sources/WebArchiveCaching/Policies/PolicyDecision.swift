// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The next step that a policy takes with a request, by its rule, the stored exchange, the state of the network, and the clock.
package enum PolicyDecision: Sendable {
    /// Serve the stored response. With conditions, it is also validated in the background.
    case serve(StoredExchange, isStale: Bool, refresh: HeaderFields?)
    /// Load from the server, with conditions if the stored response may still be valid; the fallback is used if that fails.
    case load(conditions: HeaderFields, Fallback)
    /// Too old for any use: remove it, and load it if possible.
    case expired
    /// Nothing satisfies the request: the code, and the reason for people.
    case fail(URLError.Code, String)
    /// Respond with 504 (RFC 9111 section 5.2.1.7).
    case gatewayTimeout

    /// The stored exchange that is served if loading fails.
    package struct Fallback: Sendable {
        /// The exchange; nil for none.
        package var stored: StoredExchange?
        /// The failures after which it is served.
        package var failures: StaleOnError = []

        package init(stored: StoredExchange? = nil, failures: StaleOnError = []) {
            self.stored = stored
            self.failures = failures
        }
    }
}

/// A request in the form that a policy evaluates.
package struct PolicyRequest: Sendable {
    /// The request, without its body.
    package let request: ArchiveRequest
    /// Whether there is a network, as far as the app has reported.
    package let isOnline: Bool
    /// The time for computing ages.
    package let now: ArchiveTime

    package init(request: ArchiveRequest, isOnline: Bool, now: ArchiveTime) {
        self.request = request
        self.isOnline = isOnline
        self.now = now
    }

    /// An unsafe request is meant for the server, and is satisfied from the archive only as a last resort.
    package var isSafe: Bool { ArchiveRequest.safeMethods.contains(request.method) }
}

extension ArchivePolicy {
    /// Decides by the rule alone: it uses neither network nor archive.
    ///
    /// - Parameters:
    ///   - request: the request, with the state of the network and the time.
    ///   - stored: the response of the archive, if it has one.
    package func decide(_ request: PolicyRequest, stored: StoredExchange?) -> PolicyDecision {
        switch rule {
        case .archiveOnly:
            guard let stored else { return .fail(.resourceUnavailable, "not in the archive") }
            return .serve(stored, isStale: false, refresh: nil)
        case .archiveFirst:
            if let stored, request.isSafe, !stored.isFailure { return .serve(stored, isStale: false, refresh: nil) }
            return networkFirst(request, stored)
        case .networkFirst:
            return networkFirst(request, stored)
        case .networkOnly:
            return request.isOnline ? .load(conditions: [], PolicyDecision.Fallback()) : offline
        case .staleWhileRevalidate(let freshFor, let expiresAfter):
            guard let stored, request.isSafe, !stored.isFailure else { return networkFirst(request, stored) }
            return byAge(request, stored, freshFor: freshFor, expiresAfter: expiresAfter)
        case .http(let caching):
            return http(request, stored, caching)
        }
    }

    private var offline: PolicyDecision { .fail(offlineError, "offline; the URL is not in the archive") }

    /// Loads while online, with the stored response as a fallback; offline uses the stored response.
    private func networkFirst(_ request: PolicyRequest, _ stored: StoredExchange?) -> PolicyDecision {
        if request.isOnline {
            return .load(conditions: [], PolicyDecision.Fallback(stored: stored, failures: .unreachable))
        }
        return stored.map { .serve($0, isStale: false, refresh: nil) } ?? offline
    }

    /// Decides by the age: a copy of unknown age counts as infinitely old, and so does one from the future.
    private func byAge(
        _ request: PolicyRequest, _ stored: StoredExchange, freshFor: Duration, expiresAfter: Duration
    ) -> PolicyDecision {
        guard let time = stored.time else { return .expired }
        let age = Duration.nanoseconds(request.now.nanoseconds) - .nanoseconds(time.nanoseconds)
        guard age > .seconds(-60) else { return .expired }
        if age < freshFor { return .serve(stored, isStale: false, refresh: nil) }
        guard age < expiresAfter else { return .expired }
        return .serve(stored, isStale: true, refresh: request.isOnline ? stored.response.validationConditions : nil)
    }

    /// Applies a cache's decision: steps that need the network fail offline, or fall back on the stored response if RFC 9111 permits it.
    private func http(_ request: PolicyRequest, _ stored: StoredExchange?, _ caching: HTTPCaching) -> PolicyDecision {
        func serve(_ age: Int, isStale: Bool, refresh: HeaderFields? = nil) -> PolicyDecision {
            guard let stored else { return offline }
            return .serve(stored.aged(age, caching), isStale: isStale, refresh: refresh)
        }
        switch caching.decide(request.request, stored: stored, now: request.now) {
        case .serve(let age, let isStale):
            return serve(age, isStale: isStale)
        case .serveStaleAndRevalidate(let age, let conditions):
            return serve(age, isStale: true, refresh: request.isOnline ? conditions : nil)
        case .revalidate(let conditions, let failures):
            if request.isOnline {
                let aged = stored.map { $0.aged(caching.age(of: $0, now: request.now), caching) }
                return .load(conditions: conditions, .init(stored: aged, failures: failures))
            }
            guard failures.contains(.unreachable), let stored else { return offline }
            return serve(caching.age(of: stored, now: request.now), isStale: true)
        case .load:
            return request.isOnline ? .load(conditions: [], PolicyDecision.Fallback()) : offline
        case .fail:
            return .gatewayTimeout
        }
    }
}

extension StoredExchange {
    /// Whether the server failed when this was recorded, so that loading again is worthwhile.
    package var isFailure: Bool { response.status >= 500 }

    /// Returns the exchange with an age, in seconds, in the form for serving.
    package func aged(_ age: Int, _ caching: HTTPCaching) -> StoredExchange {
        StoredExchange(
            url: url, request: request, response: caching.served(response, age: age), body: body, time: time,
            requestBody: requestBody)
    }
}

extension HTTPCaching {
    /// Returns the current age of a stored response, in whole seconds (RFC 9111 section 4.2.3).
    package func age(of stored: StoredExchange, now: ArchiveTime) -> Int {
        ResponseFreshness(of: stored.response, received: stored.time, now: now, self).age.wholeSeconds
    }
}
