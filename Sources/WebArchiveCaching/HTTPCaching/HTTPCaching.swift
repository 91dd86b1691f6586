// SPDX-License-Identifier: Apache-2.0

/// The choices of a private cache, one app's own, where RFC 9111 leaves a choice. Sections are those of RFC 9111, unless another one is
/// named.
///
/// The demands of the RFC are not settable: a stored response is used without asking only while it is fresh, or where the origin, the
/// request or one of these options allows that it is stale.
public struct HTTPCaching: Hashable, Sendable {
    /// The part of the time between `Last-Modified` and `Date` for which a response without an explicit expiry is taken
    /// as fresh; 0 to 1, a tenth by default. Section 4.2.2.
    public var heuristicFraction = 0.1
    /// The longest lifetime that comes of ``heuristicFraction``; nil for no limit, a week by default.
    public var heuristicLimit: Duration? = .seconds(7 * 86_400)
    /// The lifetime of a response that says nothing at all: neither an expiry nor `Last-Modified`. Zero by default: it
    /// is stored, and validated or loaded again each time.
    public var defaultLifetime: Duration = .zero
    /// The statuses whose responses are stored, and have a heuristic lifetime, without being marked as cacheable.
    ///
    /// By default those of RFC 9110 section 15.1, without 206: a part is never stored.
    public var heuristicallyCacheableStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
    /// Whether `no-store`, of a request or a response, keeps an exchange from being stored. Sections 5.2.1.5 and
    /// 5.2.2.5.
    ///
    /// What is stored against an origin's wish may be personal; switch this off only for an archive that nobody else
    /// reads.
    public var honoursNoStore = true
    /// Whether `stale-while-revalidate` has a stale response served while it is refreshed. RFC 5861 section 3.
    public var honoursStaleWhileRevalidate = true
    /// Whether `stale-if-error` has a stale response served where the server fails. RFC 5861 section 4.
    public var honoursStaleIfError = true
    /// How long after its freshness a response may still be served while its server cannot be reached; nil for no limit,
    /// as by default. Zero: never. Section 4.2.4.
    ///
    /// Responses with `must-revalidate` or `no-cache` are never served stale.
    public var maximumStalenessOffline: Duration?

    /// Creates the settings that RFC 9111 recommends or permits by default.
    public init() {}
}
