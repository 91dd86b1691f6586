// SPDX-License-Identifier: Apache-2.0

/// A request to match against an archive. Specification section 8.5.
public struct MatchRequest: Sendable {
    /// The URL of the request, which is compared with the keys of entries.
    public var url: CanonicalURL
    /// The method as on the wire, compared byte by byte (RFC 9110 section 9.1).
    public var method: String
    /// The request's header fields; only those that a stored response's `Vary` names are compared (RFC 9111 section
    /// 4.1).
    ///
    /// A redirect rule looks at `Cookie` and `Accept-Language` too (specification section 8.7).
    public var headers: HeaderFields
    /// The digest of the request's body; nil for none.
    public var bodyDigest: ContentDigest?
    /// The request's body, whose digest is ``bodyDigest``, for the rule ``MatchRule/similarContent``; nil, the default, for none that is
    /// compared.
    ///
    /// Its type is that of the field `Content-Type` in ``headers``. Content of more than 64 KiB is not compared.
    public var content: [UInt8]?
    /// The maximum length of ``content`` that is compared, in bytes.
    package static let maximumContentLength = 64 << 10
    /// The wanted time: the nearest capture is the response, of two at the same distance the earlier one. Nil
    /// selects the newest one.
    ///
    /// A capture whose time is unknown counts as one of 1970-01-01T00:00:00Z. Specification section 8.5.
    public var time: ArchiveTime?

    /// Creates a request; by default a `GET` without fields, for the newest capture.
    ///
    /// - Parameters:
    ///   - url: the URL of the request.
    ///   - method: the method, case-sensitive; `GET` by default.
    ///   - headers: the header fields; none by default.
    ///   - bodyDigest: nil by default, for no body.
    ///   - time: nil by default, for the newest capture.
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

/// A match: an entry, and the rules that were needed.
public struct ArchiveMatch: Sendable {
    /// The entry that matches. Its response is nil if it states that there is none.
    public let entry: ArchiveEntry
    /// The rules that were needed, in the order of ``MatchRule``: ``MatchRule/exact`` alone, or others without it.
    public let rules: [MatchRule]
    /// Whether other captures match as well that have other times, so that a request can choose one by
    /// ``MatchRequest/time``.
    package let isOneOfSeveral: Bool

    init(entry: ArchiveEntry, rules: [MatchRule], isOneOfSeveral: Bool = false) {
        (self.entry, self.rules, self.isOneOfSeveral) = (entry, rules, isOneOfSeveral)
    }

    /// Whether the entry was chosen among those of its own URL, as for a request for that URL.
    ///
    /// Otherwise it was chosen among those of several, or captures that are no content were left out.
    package var isOfItsOwnURL: Bool {
        !rules.contains(.ignoredParameters) && ArchiveMatcher.Options.recordingRules.isDisjoint(with: rules)
    }

    /// Whether the entry matches without any rule of substitution.
    public var isExact: Bool { rules == [.exact] }
}
