// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The times at which hosts may be visited next.
struct HostPacing {
    private var next: [[UInt8]: ContinuousClock.Instant] = [:]

    /// The longest wait that a host can demand: a crawl must end.
    private static let maximumPause = Duration.seconds(600)
    /// The wait after a response with 429 or 503 that does not say.
    private static let standardPause = Duration.seconds(10)

    /// Takes the next moment for a page of a host.
    ///
    /// - Parameter delay: the time between two pages of the host.
    mutating func take(_ url: CanonicalURL, delay: Duration, now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let root = Array(url.root)
        let moment = max(next[root] ?? now, now)
        next[root] = delay > .zero || moment > now ? moment + delay : nil
        return moment
    }

    /// Pauses a host for as long as a response demands.
    ///
    /// - Parameter field: the value of `Retry-After` (RFC 9110 section 10.2.3): seconds or a date; nil without one.
    mutating func pause(_ url: CanonicalURL, _ field: String?, now: ContinuousClock.Instant, time: ArchiveTime) {
        let wait = min(Self.pause(field, time), Self.maximumPause)
        let root = Array(url.root)
        next[root] = max(next[root] ?? now, now + wait)
    }

    private static func pause(_ field: String?, _ time: ArchiveTime) -> Duration {
        guard let field else { return standardPause }
        if let seconds = UInt32(field.trimmingOptionalWhitespace) { return .seconds(Int64(seconds)) }
        guard let date = HTTPDate.nanoseconds(field) else { return standardPause }
        return max(.zero, .nanoseconds(max(date, time.nanoseconds) - time.nanoseconds))
    }
}
