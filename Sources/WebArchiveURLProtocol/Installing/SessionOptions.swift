// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// How an installation answers, beside its policy.
public struct SessionOptions: Sendable {
    /// URL schemes that are answered, in lower case; requests for others go past the archive.
    public var schemes: Set<String> = ["http", "https"]
    /// How the bundles of an installation are matched. What was recorded is matched as its own options say.
    public var matching = MatchOptions()
    /// What is done with requests before the policy sees them, in order.
    public var rules: [RequestRule] = []
    public var recording = RecordingRules()
    public var connectivity = Connectivity()
    /// Redirects that are followed, where the platform leaves that to a protocol; more fail with `httpTooManyRedirects`.
    public var maximumRedirects = 20
    /// Told of each answer, and of each redirect that is followed. Called from any thread, and waited for.
    public var onAnswer: (@Sendable (LoadEvent) -> Void)?
    /// The clock.
    public var now: @Sendable () -> ArchiveTime = ArchiveTime.now

    public init() {}
}

/// Where the answer to a request came from.
public struct LoadEvent: Hashable, Sendable {
    public enum Source: String, Sendable {
        /// Stored.
        case archive
        /// Stored, and known to be stale: shown while it is refreshed, or because the network failed.
        case staleArchive
        /// Stored, and confirmed by the server just now (304).
        case validated
        case network
        /// A rule or a stub.
        case rule
    }

    public let method: String
    public let url: URL
    public let status: Int
    public let source: Source
}
