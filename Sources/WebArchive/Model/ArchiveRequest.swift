// SPDX-License-Identifier: Apache-2.0

/// A request as an archive keeps it. Specification section 7, "Request".
public struct ArchiveRequest: Hashable, Sendable {
    /// As it stands on the wire, case-sensitive: `GET`, `POST` … (RFC 9110 section 9).
    public var method: String
    /// The URL as it was given; the archive finds it by its canonical form.
    public var url: String
    /// The header fields, in their order.
    public var headers: HeaderFields

    /// Creates a request.
    public init(method: String = "GET", url: String, headers: HeaderFields = []) {
        self.method = method
        self.url = url
        self.headers = headers
    }
}
