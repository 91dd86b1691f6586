// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A policy for the source of responses: the archive, the network, or one after the other.
///
/// A session has one, and a request's own `cachePolicy` goes before it.
public struct ArchivePolicy: Hashable, Sendable {
    /// The rule of a policy.
    public enum Rule: Hashable, Sendable {
        /// The stored response, however old; what is not stored fails. Never touches the network.
        case archiveOnly
        /// The stored response, however old; what is not stored is loaded.
        case archiveFirst
        /// Loaded while online; offline, or if the network fails, the stored response, however old.
        case networkFirst
        /// The stored response while it is younger than `freshFor`; then the stored response at once and a refresh in the background;
        /// from `expiresAfter` on it is removed, and loaded anew.
        case staleWhileRevalidate(freshFor: Duration, expiresAfter: Duration)
        /// As a private cache does it (RFC 9111).
        case http(HTTPCaching)
        /// Always loaded.
        case networkOnly
    }

    /// For logs and messages.
    public let name: String
    /// The rule by which the policy decides.
    public let rule: Rule
    /// How a request fails that is not stored while the network cannot be reached. ``archiveOnly`` fails with `resourceUnavailable` always, as
    /// `returnCacheDataDontLoad` does.
    public let offlineError: URLError.Code

    /// A rule under a name of its own.
    public init(name: String, _ rule: Rule, offlineError: URLError.Code = .notConnectedToInternet) {
        self.name = name
        self.rule = rule
        self.offlineError = offlineError
    }

    /// Takes every response from the archive, and never uses the network.
    public static let archiveOnly = ArchivePolicy(name: "archiveOnly", .archiveOnly)
    /// Takes a stored response however old it is, and the network for all others.
    public static let archiveFirst = ArchivePolicy(name: "archiveFirst", .archiveFirst)
    /// Takes the network, and a stored response where the network fails.
    public static let networkFirst = ArchivePolicy(name: "networkFirst", .networkFirst)
    /// Takes every response from the network.
    public static let networkOnly = ArchivePolicy(name: "networkOnly", .networkOnly)
    /// Decides as RFC 9111 says, with the default settings.
    public static let http = ArchivePolicy(name: "http", .http(HTTPCaching()))

    /// Takes a stored response, and refreshes it in the background once it is older than `freshFor`; from `expiresAfter` on, the network.
    public static func staleWhileRevalidate(freshFor: Duration, expiresAfter: Duration) -> ArchivePolicy {
        ArchivePolicy(
            name: "staleWhileRevalidate", .staleWhileRevalidate(freshFor: freshFor, expiresAfter: expiresAfter))
    }
}

extension ArchivePolicy: CustomStringConvertible {
    public var description: String { name }
}
