// SPDX-License-Identifier: Apache-2.0

/// A request as it is matched against an archive.
public struct MatchRequest: Sendable {
    /// The URL of the request.
    public var url: CanonicalURL
    /// As it stands on the wire, case-sensitive.
    public var method: String
    /// The request's header fields; only those that a stored response's `Vary` names are looked at.
    public var headers: HeaderFields
    /// Digest of the request's body; nil for none.
    public var bodyDigest: ContentDigest?
    /// The moment as of which to answer: the newest capture that is not later, else the oldest one. Nil: the newest one.
    public var time: ArchiveTime?

    /// Creates a request; by default a `GET` without fields, for the newest capture.
    public init(
        url: CanonicalURL, method: String = "GET", headers: HeaderFields = [], bodyDigest: ContentDigest? = nil,
        time: ArchiveTime? = nil
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.bodyDigest = bodyDigest
        self.time = time
    }
}

/// An entry that matches a request, and why.
public struct ArchiveMatch: Sendable {
    /// The entry that matches.
    public let entry: ArchiveEntry
    /// The rules that it took, in their order: ``MatchRule/exact`` alone, or others without it.
    public let rules: [MatchRule]

    /// Whether the entry matches without any rule of substitution.
    public var isExact: Bool { rules == [.exact] }
}
