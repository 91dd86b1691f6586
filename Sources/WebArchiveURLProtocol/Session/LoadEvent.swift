// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A response to a load: its source, and the outcome of its recording.
///
/// A load that follows redirects has one for each hop. A load that fails has none for the failure.
public struct LoadEvent: Hashable, Sendable {
    /// The origin of a response.
    public enum Source: String, Sendable {
        /// A stored response of an archive; also the 504 of a request with `only-if-cached` without one.
        case archive
        /// A stored response that is known to be stale: served while it is refreshed, or because the network failed.
        case staleArchive
        /// A stored response that the server has just validated (304, RFC 9111 section 4.3.4).
        case validated
        /// A response of the origin server.
        case network
        /// A response of a rule or a stub.
        case rule
    }

    /// The method of the request, after the rules.
    public let method: String
    /// The URL of the request, after the rules.
    public let url: URL
    /// The original or stored status code of the response; conditions and ranges of the request are applied to a stored one later.
    public let status: Int
    /// The origin of the response.
    public let source: Source
    /// The outcome of recording; nil if there was no response from the network, or there is no archive to record into.
    public let recording: RecordingOutcome?
}
