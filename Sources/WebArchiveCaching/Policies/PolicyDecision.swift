// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The next step that a policy takes with a request, by its rule, the stored exchange, the state of the network, and the clock.
package enum PolicyDecision: Sendable {
    /// Respond with what is stored. With conditions, the server is asked in the background as well.
    case serve(StoredExchange, isStale: Bool, refresh: HeaderFields?)
    /// Ask the server, with conditions where what is stored may still hold; the fallback is in where that fails.
    case load(conditions: HeaderFields, Fallback)
    /// Too old for any use: to be removed, and loaded where that is possible.
    case expired
    /// Nothing satisfies the request: the code, and the reason for people.
    case fail(URLError.Code, String)
    /// Respond with a status of our own (RFC 9111 section 5.2.1.7).
    case gatewayTimeout

    /// The stored exchange that stands in where loading fails.
    package struct Fallback: Sendable {
        /// The exchange; nil where nothing stands in.
        package var stored: StoredExchange?
        /// The failures for which it stands in.
        package var failures: StaleOnError = []

        package init(stored: StoredExchange? = nil, failures: StaleOnError = []) {
            self.stored = stored
            self.failures = failures
        }
    }
}

/// A request as a policy sees it.
package struct PolicyRequest: Sendable {
    /// The request, without its body.
    package let request: ArchiveRequest
    /// Whether there is a network, as far as the app has told.
    package let isOnline: Bool
    /// The time from which ages count.
    package let now: ArchiveTime

    package init(request: ArchiveRequest, isOnline: Bool, now: ArchiveTime) {
        self.request = request
        self.isOnline = isOnline
        self.now = now
    }

    /// An unsafe request is meant for the server, and is satisfied from the archive only where there is no other way.
    package var isSafe: Bool { ArchiveRequest.safeMethods.contains(request.method) }
}

extension ArchivePolicy {
    /// Decides by the rule, without asking anybody: neither network nor archive is touched.
    ///
    /// - Parameters:
    ///   - asked: the request, with the state of the network and the time.
    ///   - stored: the response of the archive, if it has one.
    package func decide(_ asked: PolicyRequest, stored: StoredExchange?) -> PolicyDecision {
        switch rule {
        case .archiveOnly:
            guard let stored else { return .fail(.resourceUnavailable, "not in the archive") }
            return .serve(stored, isStale: false, refresh: nil)
        case .archiveFirst:
            if let stored, asked.isSafe, !stored.isFailure { return .serve(stored, isStale: false, refresh: nil) }
            return networkFirst(asked, stored)
        case .networkFirst:
            return networkFirst(asked, stored)
        case .networkOnly:
            return asked.isOnline ? .load(conditions: [], PolicyDecision.Fallback()) : offline
        case .staleWhileRevalidate(let freshFor, let expiresAfter):
            guard let stored, asked.isSafe, !stored.isFailure else { return networkFirst(asked, stored) }
            return byAge(asked, stored, freshFor: freshFor, expiresAfter: expiresAfter)
        case .http(let caching):
            return http(asked, stored, caching)
        }
    }

    private var offline: PolicyDecision { .fail(offlineError, "the URL is not in the archive, and the network is off") }

    /// Loads while online, with what is stored after it; offline takes what is stored.
    private func networkFirst(_ asked: PolicyRequest, _ stored: StoredExchange?) -> PolicyDecision {
        if asked.isOnline {
            return .load(conditions: [], PolicyDecision.Fallback(stored: stored, failures: .unreachable))
        }
        return stored.map { .serve($0, isStale: false, refresh: nil) } ?? offline
    }

    /// A copy of unknown age is as old as can be, and so is one from the future.
    private func byAge(
        _ asked: PolicyRequest, _ stored: StoredExchange, freshFor: Duration, expiresAfter: Duration
    ) -> PolicyDecision {
        guard let time = stored.time else { return .expired }
        let age = Duration.nanoseconds(asked.now.nanoseconds) - .nanoseconds(time.nanoseconds)
        guard age > .seconds(-60) else { return .expired }
        if age < freshFor { return .serve(stored, isStale: false, refresh: nil) }
        guard age < expiresAfter else { return .expired }
        return .serve(stored, isStale: true, refresh: asked.isOnline ? stored.response.validationConditions : nil)
    }

    /// Puts a cache's decision into effect: what needs the network fails offline, or falls back on what is stored where RFC 9111 lets it.
    private func http(_ asked: PolicyRequest, _ stored: StoredExchange?, _ caching: HTTPCaching) -> PolicyDecision {
        func serve(_ age: Int, isStale: Bool, refresh: HeaderFields? = nil) -> PolicyDecision {
            guard let stored else { return offline }
            return .serve(stored.aged(age, caching), isStale: isStale, refresh: refresh)
        }
        switch caching.decide(asked.request, stored: stored, now: asked.now) {
        case .serve(let age, let isStale):
            return serve(age, isStale: isStale)
        case .serveStaleAndRevalidate(let age, let conditions):
            return serve(age, isStale: true, refresh: asked.isOnline ? conditions : nil)
        case .revalidate(let conditions, let failures):
            if asked.isOnline {
                let aged = stored.map { $0.aged(caching.age(of: $0, now: asked.now), caching) }
                return .load(conditions: conditions, .init(stored: aged, failures: failures))
            }
            guard failures.contains(.unreachable), let stored else { return offline }
            return serve(caching.age(of: stored, now: asked.now), isStale: true)
        case .load:
            return asked.isOnline ? .load(conditions: [], PolicyDecision.Fallback()) : offline
        case .fail:
            return .gatewayTimeout
        }
    }
}

extension StoredExchange {
    /// Whether the server failed when this was recorded: it is worth asking again.
    package var isFailure: Bool { response.status >= 500 }

    /// The exchange as it is served at an age, in seconds.
    package func aged(_ age: Int, _ caching: HTTPCaching) -> StoredExchange {
        StoredExchange(
            url: url, request: request, response: caching.served(response, age: age), body: body, time: time,
            requestBody: requestBody)
    }
}

extension HTTPCaching {
    /// The current age of a stored response, in whole seconds (RFC 9111 section 4.2.3).
    package func age(of stored: StoredExchange, now: ArchiveTime) -> Int {
        ResponseFreshness(of: stored.response, received: stored.time, now: now, self).age.wholeSeconds
    }
}
