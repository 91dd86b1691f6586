// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The decision of a cache about a request. RFC 9111 section 4.
enum CacheDecision: Equatable {
    /// Serve the stored response; `age` in seconds, for the field `Age`.
    case serve(age: Int, isStale: Bool)
    /// Validate the stored response with the server. The conditions are for the request; there are none
    /// if the response has no validator, so that it is loaded whole.
    case revalidate(conditions: HeaderFields, mayServeStaleOnError: StaleOnError)
    /// Serve the stored response, and validate it meanwhile, as for
    /// ``revalidate(conditions:mayServeStaleOnError:)``. RFC 5861 section 3.
    case serveStaleAndRevalidate(age: Int, conditions: HeaderFields)
    /// Load the response: no stored one can be used.
    case load
    /// 504: the request is `only-if-cached`, and no stored response satisfies it. Section 5.2.1.7.
    case fail
}

/// The failures after which a stale response may be served. RFC 9111 section 4.2.4.
package struct StaleOnError: OptionSet, Hashable {
    /// The bits of the set.
    package let rawValue: UInt8

    /// Creates a set from its bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No response: offline, no such host, a broken connection, a timeout.
    package static let unreachable = StaleOnError(rawValue: 1)
    /// The server failed, with one of ``serverErrorStatuses``.
    package static let serverError = StaleOnError(rawValue: 2)

    /// The statuses of a failed server, by RFC 5861 section 4.
    package static let serverErrorStatuses: Set<Int> = [500, 502, 503, 504]
}
