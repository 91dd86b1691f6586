// SPDX-License-Identifier: Apache-2.0

/// A stored request. Specification section 7, "Request".
///
/// It does not contain its body: a writer takes an ``ArchiveWriter/BodyReference`` beside it, and
/// ``ArchiveEntry/requestBody`` returns it.
public struct ArchiveRequest: Hashable, Sendable {
    /// The method as on the wire, case-sensitive: `GET`, `POST` … (RFC 9110 section 9).
    ///
    /// A writer stores any text of at most 1 MiB.
    public var method: String
    /// The URL as given; the archive finds it by its canonical form (specification section 8.1).
    public var url: String
    /// The header fields, in their order, with their case and their duplicates.
    ///
    /// They are compared with a request's where the response has a `Vary` field (RFC 9111 section 4.1).
    public var headers: HeaderFields
    /// The protocol and its version, such as `HTTP/1.1` (RFC 9112 section 2.3); nil if it is unknown.
    public var version: String?

    /// Creates a request. It checks nothing: ``ArchiveWriter/add(_:requestBody:response:body:time:role:)`` does that.
    ///
    /// - Parameters:
    ///   - method: the method; `GET` by default.
    ///   - url: an absolute URL, in any spelling.
    ///   - headers: the header fields; none by default.
    public init(method: String = "GET", url: String, headers: HeaderFields = []) {
        self.method = method
        self.url = url
        self.headers = headers
    }
}
