// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A policy for the source of responses: the archive, the network, or one after the other.
///
/// ```swift
/// let news = ArchivePolicy.networkFirst
/// let lessons = ArchivePolicy(name: "lessons", .archiveFirst, offlineError: .cannotConnectToHost)
/// var caching = HTTPCaching()
/// caching.defaultLifetime = .seconds(300)
/// let feeds = ArchivePolicy(name: "feeds", .http(caching))
/// ```
///
/// A session has one, and a request's own `cachePolicy` takes precedence. Unsafe requests (RFC 9110 section 9.2.1) are meant for the server:
/// all rules but ``Rule/archiveOnly`` send them there while there is a network.
public struct ArchivePolicy: Hashable, Sendable {
    /// The rule of a policy.
    public enum Rule: Hashable, Sendable {
        /// The stored response, of any age; a missing one fails. It never uses the network.
        case archiveOnly
        /// The stored response, of any age; a missing one is loaded. A stored failure of the server (5xx) is loaded again, and is the
        /// fallback if that fails.
        case archiveFirst
        /// Loaded while online; offline, or if the network fails, the stored response, of any age.
        case networkFirst
        /// The stored response while it is younger than `freshFor`; then the stored response at once and a refresh in the background; from
        /// `expiresAfter` on it is removed, and loaded again.
        ///
        /// The age counts from the time of the response or of its validation. A response of unknown time, or one a minute or more in the
        /// future, has expired. A stored failure of the server (5xx) is loaded again.
        case staleWhileRevalidate(freshFor: Duration, expiresAfter: Duration)
        /// Served, validated or loaded as a private cache does it (RFC 9111 section 4).
        case http(HTTPCaching)
        /// Always loaded; stored responses are not used, not even offline.
        case networkOnly
    }

    /// The name for logs and messages.
    public let name: String
    /// The rule of the policy.
    public let rule: Rule
    /// The code with which a request without a stored response fails while the network cannot be reached; `notConnectedToInternet` by default.
    /// ``archiveOnly`` fails with `resourceUnavailable` always, as `returnCacheDataDontLoad` does.
    public let offlineError: URLError.Code

    /// Creates a policy with a rule and a name.
    ///
    /// - Parameters:
    ///   - name: the name for logs and messages.
    ///   - rule: the rule by which it decides.
    ///   - offlineError: the code for a response that is neither stored nor can be loaded.
    public init(name: String, _ rule: Rule, offlineError: URLError.Code = .notConnectedToInternet) {
        self.name = name
        self.rule = rule
        self.offlineError = offlineError
    }

    /// Uses only the archive, and never the network.
    public static let archiveOnly = ArchivePolicy(name: "archiveOnly", .archiveOnly)
    /// Prefers a stored response of any age, and falls back on the network.
    public static let archiveFirst = ArchivePolicy(name: "archiveFirst", .archiveFirst)
    /// Prefers the network and falls back on a stored response.
    public static let networkFirst = ArchivePolicy(name: "networkFirst", .networkFirst)
    /// Uses only the network.
    public static let networkOnly = ArchivePolicy(name: "networkOnly", .networkOnly)
    /// Follows RFC 9111, with the default settings.
    public static let http = ArchivePolicy(name: "http", .http(HTTPCaching()))

    /// Uses a stored response, and refreshes it in the background once it is older than `freshFor`; from `expiresAfter` on, the network.
    ///
    /// - Parameters:
    ///   - freshFor: the age up to which there is no refresh; zero for a refresh with each request.
    ///   - expiresAfter: the age from which on the response is removed; at least `freshFor`.
    public static func staleWhileRevalidate(freshFor: Duration, expiresAfter: Duration) -> ArchivePolicy {
        ArchivePolicy(
            name: "staleWhileRevalidate", .staleWhileRevalidate(freshFor: freshFor, expiresAfter: expiresAfter))
    }
}

extension ArchivePolicy: CustomStringConvertible {
    /// The policy's name.
    public var description: String { name }
}
