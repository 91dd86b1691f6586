// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The decision of a cache about a request. RFC 9111 section 4.
enum CacheDecision: Equatable {
    /// Respond with what is stored; `age` in seconds, for the field `Age`.
    case serve(age: Int, isStale: Bool)
    /// Ask the server whether what is stored still holds. The conditions are to be set on the request; there are none
    /// where the response has no validator, so that it is loaded whole.
    case revalidate(conditions: HeaderFields, mayServeStaleOnError: StaleOnError)
    /// Respond with what is stored, and ask the server meanwhile, as for
    /// ``revalidate(conditions:mayServeStaleOnError:)``. RFC 5861 section 3.
    case serveStaleAndRevalidate(age: Int, conditions: HeaderFields)
    /// Nothing that is stored is of use.
    case load
    /// 504: the request is `only-if-cached`, and nothing that is stored satisfies it. Section 5.2.1.7.
    case fail
}

/// The failures for which a stale response may stand in. RFC 9111 section 4.2.4.
package struct StaleOnError: OptionSet, Hashable {
    /// The bits of the set.
    package let rawValue: UInt8

    /// Creates a set from its bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No response came: offline, no such host, a cut connection, a timeout.
    package static let unreachable = StaleOnError(rawValue: 1)
    /// The server responded that it failed, with one of ``serverErrorStatuses``.
    package static let serverError = StaleOnError(rawValue: 2)

    /// RFC 5861 section 4.
    package static let serverErrorStatuses: Set<Int> = [500, 502, 503, 504]
}
