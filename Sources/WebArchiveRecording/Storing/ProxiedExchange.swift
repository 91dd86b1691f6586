// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// A record of an exchange that went through a recording proxy.
public struct ProxiedExchange: Sendable {
    public let method: String
    /// The absolute URL as given, without a fragment.
    public let url: String
    /// The status of the response; nil if there was none.
    public let status: Int?
    /// The MD5 of the response's body without codings; nil for none.
    public let bodyDigest: ContentDigest?
    /// The MD5 of the request's body; nil for none.
    public let requestBodyDigest: ContentDigest?
    /// The length of the response's body without codings, in bytes.
    public let bodyLength: UInt64
    /// The time at which the request was sent.
    public let time: ArchiveTime
    /// The reason why the body is not whole: `length`, `time`, `disconnect` or `unspecified`; nil if it is.
    public let truncation: String?
    /// The reason why there was no response, or why it is not stored; nil if it is.
    public let failure: String?
}

/// A response that a recording proxy loaded by itself.
package struct LoadedResponse: Sendable {
    /// The response as it is stored.
    package let response: ArchiveResponse
    /// The body without codings, finished; nil for none.
    package let body: SpooledBody?
    package let time: ArchiveTime
}
