// SPDX-License-Identifier: Apache-2.0

/// The choices of a private cache for one app, where RFC 9111 leaves a choice. Sections are those of RFC 9111, unless another one is
/// named.
///
/// The demands of the RFC are not settable: a stored response is used without validation only while it is fresh, or if the origin, the
/// request or one of these options allows a stale one.
public struct HTTPCaching: Hashable, Sendable {
    /// The part of the time between `Last-Modified` and `Date` for which a response without an explicit expiry is
    /// as fresh; 0 to 1, a tenth by default. Section 4.2.2.
    public var heuristicFraction = 0.1
    /// The maximum lifetime by ``heuristicFraction``; nil for no limit, a week by default.
    public var heuristicLimit: Duration? = .seconds(7 * 86_400)
    /// The lifetime of a response with neither an expiry nor `Last-Modified`. Zero by default: it
    /// is stored, and validated or loaded again each time.
    public var defaultLifetime: Duration = .zero
    /// The statuses whose responses are stored, and have a heuristic lifetime, without being marked as cacheable.
    ///
    /// By default those of RFC 9110 section 15.1, without 206: a part is never stored.
    public var heuristicallyCacheableStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
    /// Whether `no-store`, of a request or a response, keeps an exchange from being stored. Sections 5.2.1.5 and
    /// 5.2.2.5.
    ///
    /// Exchanges stored against an origin's wish may be personal; switch this off only for an archive without other
    /// readers.
    public var honoursNoStore = true
    /// Whether `stale-while-revalidate` lets a stale response be served while it is refreshed. RFC 5861 section 3.
    public var honoursStaleWhileRevalidate = true
    /// Whether `stale-if-error` lets a stale response be served if the server fails. RFC 5861 section 4.
    public var honoursStaleIfError = true
    /// The maximum staleness while the origin is unreachable (RFC 9111 section 4.2.4); nil for no limit,
    /// as by default. Zero disables stale responses.
    ///
    /// Responses with `must-revalidate` or `no-cache` are never served stale.
    public var maximumStalenessOffline: Duration?

    /// Creates the settings that RFC 9111 recommends or permits by default.
    public init() {}
}
