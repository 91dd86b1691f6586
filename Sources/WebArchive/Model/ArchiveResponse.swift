// SPDX-License-Identifier: Apache-2.0

/// The properties that responses and redirects have in common. Specification section 7, "Response".
public struct ArchiveResponse: Hashable, Sendable {
    /// Status code, 100 to 999 (RFC 9110 section 15).
    public var status: Int
    /// Reason phrase, empty if there was none; what is not UTF-8 is repaired.
    public var reason: String {
        get { String(untrusted: reasonBytes) }
        set { reasonBytes = Array(newValue.utf8) }
    }
    /// Reason phrase as it came (RFC 9112 section 4): any bytes.
    package var reasonBytes: [UInt8]
    /// Header fields as they came, those of codings that were removed from the body included.
    public var headers: HeaderFields
    /// Media type without parameters, lower case.
    public var mediaType: String?
    /// Label of the text encoding, lower case.
    public var charset: String?
    /// When the resource was last modified.
    public var modified: ArchiveTime?
    /// Address of the peer that answered.
    public var address: String?
    /// Content and transfer codings that were removed from the body, in the order in which they had been applied.
    public var codings: [String]
    /// Set for a redirect: the absolute URL to go to.
    public var redirectTarget: String?

    /// A media type and a charset that are not given are taken from the `Content-Type` field.
    public init(
        status: Int = 200, reason: String = "", headers: HeaderFields = [], mediaType: String? = nil,
        charset: String? = nil, modified: ArchiveTime? = nil, address: String? = nil, codings: [String] = [],
        redirectTarget: String? = nil
    ) {
        self.status = status
        reasonBytes = Array(reason.utf8)
        self.headers = headers
        let contentType = headers["Content-Type"].map(ContentTypeValue.parts)
        self.mediaType = mediaType ?? contentType?.mediaType
        self.charset = charset ?? contentType?.charset
        self.modified = modified
        self.address = address
        self.codings = codings
        self.redirectTarget = redirectTarget
    }

    /// Whether the response is stored as a redirect. Specification section 7.
    public var isRedirect: Bool { redirectTarget != nil }

    /// Status codes that, with a `Location`, make a response a redirect. Specification section 7.
    public static let redirectStatuses: Set<Int> = [301, 302, 303, 307, 308]

    /// The URL that the response to a request for `url` leads to: its target, or else, with a redirect's status, its `Location` resolved against
    /// `url`; nil if it leads nowhere.
    package func redirectTarget(from url: CanonicalURL) -> String? {
        if let redirectTarget { return redirectTarget }
        guard Self.redirectStatuses.contains(status), let location = headers["Location"] else { return nil }
        return (try? url.resolving(location))?.description
    }

    /// The header fields that fit the body as it is stored: without codings that were removed and with its own length.
    public func headers(forBodyOfLength length: UInt64) -> HeaderFields {
        var fields = headers
        if !codings.isEmpty {
            fields.removeAll(named: "Content-Encoding")
            fields.removeAll(named: "Transfer-Encoding")
        }
        fields.set(name: "Content-Length", value: String(length))
        return fields
    }
}
