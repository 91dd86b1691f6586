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
/// A session has one, and a request's own `cachePolicy` goes before it. Unsafe requests (RFC 9110 section 9.2.1) are meant for the server:
/// all rules but ``Rule/archiveOnly`` send them there while there is a network.
public struct ArchivePolicy: Hashable, Sendable {
    /// The rule of a policy.
    public enum Rule: Hashable, Sendable {
        /// The stored response, however old; what is not stored fails. Never touches the network.
        case archiveOnly
        /// The stored response, however old; what is not stored is loaded. A stored failure of the server (5xx) is loaded again, and stands
        /// in where that fails.
        case archiveFirst
        /// Loaded while online; offline, or if the network fails, the stored response, however old.
        case networkFirst
        /// The stored response while it is younger than `freshFor`; then the stored response at once and a refresh in the background; from
        /// `expiresAfter` on it is removed, and loaded again.
        ///
        /// Age counts from the time at which the response came or was validated. One whose time is unknown, or a minute or more in the
        /// future, has expired. A stored failure of the server (5xx) is loaded again.
        case staleWhileRevalidate(freshFor: Duration, expiresAfter: Duration)
        /// Served, validated or loaded as a private cache does it (RFC 9111 section 4).
        case http(HTTPCaching)
        /// Always loaded; what is stored is not used, not even offline.
        case networkOnly
    }

    /// The name for logs and messages.
    public let name: String
    /// The rule by which the policy decides.
    public let rule: Rule
    /// The code with which a request fails that is not stored while the network cannot be reached; `notConnectedToInternet` by default.
    /// ``archiveOnly`` fails with `resourceUnavailable` always, as `returnCacheDataDontLoad` does.
    public let offlineError: URLError.Code

    /// Creates a policy: a rule under a name of its own.
    ///
    /// - Parameters:
    ///   - name: for logs and messages.
    ///   - rule: the rule by which it decides.
    ///   - offlineError: for what is neither stored nor can be loaded.
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
    ///
    /// - Parameters:
    ///   - freshFor: the age up to which nothing is asked; zero for a refresh with each request.
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
