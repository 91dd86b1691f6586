// SPDX-License-Identifier: Apache-2.0

/// The common properties of responses and redirects. Specification section 7, "Response" and "Redirect".
///
/// The body is not part of it: see ``ArchiveEntry/body``.
public struct ArchiveResponse: Hashable, Sendable {
    /// The status code, 100 to 999 (RFC 9110 section 15). A writer refuses others.
    public var status: Int
    /// The reason phrase (RFC 9112 section 4), empty if there was none. U+FFFD replaces bytes that are not UTF-8.
    public var reason: String {
        get { String(untrusted: reasonBytes) }
        set { reasonBytes = Array(newValue.utf8) }
    }
    /// The original reason phrase (RFC 9112 section 4): any bytes.
    package var reasonBytes: [UInt8]
    /// The original header fields, including those of codings that were removed from the body.
    ///
    /// For the fields that fit the stored body see ``headers(forBodyOfLength:)``.
    public var headers: HeaderFields
    /// The media type without parameters, in lower case, such as `text/html`; nil if it is unknown (RFC 9110 section
    /// 8.3.1).
    public var mediaType: String?
    /// The label of the text encoding, in lower case, such as `utf-8`; nil if it is unknown (RFC 9110 section 8.3.2).
    public var charset: String?
    /// The time at which the resource was last modified; nil if it is unknown.
    ///
    /// If it is nil, a writer takes it from a `Last-Modified` field (RFC 9110 section 8.8.2).
    public var modified: ArchiveTime?
    /// The address of the peer that sent the response, as text; nil if it is unknown. It is not parsed as an address.
    public var address: String?
    /// The content and transfer codings that were removed from the body, in the order of their application.
    ///
    /// Names such as `gzip` or `br` (RFC 9110 section 8.4.1, RFC 9112 section 7); empty if the body is unchanged.
    public var codings: [String]
    /// The absolute target URL of a redirect; nil for a response.
    ///
    /// A writer sets it from a `Location` field, resolved against the request's URL, where the status is one of
    /// ``redirectStatuses``.
    public var redirectTarget: String?
    /// The protocol and its version, such as `HTTP/1.1` (RFC 9112 section 2.3); nil if it is unknown.
    public var version: String?
    /// The reason why the body ends before the content did: `length`, `time`, `disconnect` or `unspecified` (WARC 1.1 section
    /// 5.13); nil if it does not.
    public var truncation: String?
    /// The digest of a body that the archive lacks, as a label such as `sha1:` and Base32 (WARC 1.1 section 5.8); nil otherwise.
    ///
    /// The entry of such a response has the role ``ArchiveEntry/Role/withoutBody``.
    public var absentDigest: String?
    /// Whether the source of the archive had no header fields, so that those here were derived from other properties.
    public var isDerived = false

    /// Creates a response. It checks nothing: ``ArchiveWriter/add(_:requestBody:response:body:time:role:)`` does that.
    ///
    /// - Parameters:
    ///   - status: the status, 100 to 999; 200 by default.
    ///   - reason: the reason; empty by default, for none.
    ///   - headers: the header fields; none by default.
    ///   - mediaType: nil: that of the `Content-Type` field, read as browsers do (WHATWG MIME Sniffing, "parse a MIME
    ///     type").
    ///   - charset: nil: that of the `Content-Type` field.
    ///   - modified: nil, the default, if it is unknown or is in a `Last-Modified` field.
    ///   - address: nil by default, for unknown.
    ///   - codings: the codings; none by default.
    ///   - redirectTarget: an absolute URL; nil by default.
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

    /// Whether the response is stored as a redirect, because it has a ``redirectTarget``. Specification section 7.
    public var isRedirect: Bool { redirectTarget != nil }

    /// The status codes that, with a `Location`, make a response a redirect: 301, 302, 303, 307 and 308. Specification
    /// section 7.
    public static let redirectStatuses: Set<Int> = [301, 302, 303, 307, 308]

    /// Returns the target URL of the response to a request for `url`: its target, or else, with a redirect's status,
    /// its `Location` resolved against `url`.
    ///
    /// - Returns: nil if it leads nowhere, or its `Location` is not a URL.
    package func redirectTarget(from url: CanonicalURL) -> String? {
        if let redirectTarget { return redirectTarget }
        guard Self.redirectStatuses.contains(status), let location = headers["Location"] else { return nil }
        return (try? url.resolving(location))?.description
    }

    /// Returns whether a content coding was removed from the body.
    private func isRemoved(_ name: String) -> Bool {
        let name = name.asciiLowercased
        return codings.contains { $0.asciiLowercased == name || name == "x-\($0.asciiLowercased)" }
    }

    /// Returns the header fields that fit the stored body: without removed codings and with its own
    /// length.
    ///
    /// If ``codings`` has any, `Transfer-Encoding` goes, and `Content-Encoding` loses the names among them. One `Content-Length` (RFC 9110 section
    /// 8.6) is last in the place of all others. The order of the other fields stays.
    ///
    /// - Parameter length: the length of the stored body, in bytes.
    /// - Returns: a copy of ``headers``, changed so.
    public func headers(forBodyOfLength length: UInt64) -> HeaderFields {
        var fields = headers
        if !codings.isEmpty {
            let kept = fields.values(named: "Content-Encoding").flatMap { $0.split(separator: ",") }
                .map { String($0.trimmingOptionalWhitespace) }.filter { !isRemoved($0) }
            fields.removeAll(named: "Content-Encoding")
            if !kept.isEmpty { fields.append(name: "Content-Encoding", value: kept.joined(separator: ", ")) }
            fields.removeAll(named: "Transfer-Encoding")
        }
        fields.set(name: "Content-Length", value: String(length))
        return fields
    }
}
