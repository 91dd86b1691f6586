// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A response that a load was given: its source, and whether it was recorded.
///
/// A load that follows redirects has one for each hop. A load that fails has none for the failure.
public struct LoadEvent: Hashable, Sendable {
    /// The origin of a response.
    public enum Source: String, Sendable {
        /// Stored in an archive; also the 504 of a request with `only-if-cached` that nothing stored satisfies.
        case archive
        /// Stored, and known to be stale: shown while it is refreshed, or because the network failed.
        case staleArchive
        /// Stored, and confirmed by the server just now (304, RFC 9111 section 4.3.4).
        case validated
        /// Loaded from the origin server.
        case network
        /// Given by a rule or a stub.
        case rule
    }

    /// The method of the request, as rules have left it.
    public let method: String
    /// The URL of the request, as rules have left it.
    public let url: URL
    /// The status code of the response as it came or is stored; conditions and ranges of the request are applied to a stored one later.
    public let status: Int
    /// The origin of the response.
    public let source: Source
    /// Whether it was recorded; nil if nothing came from the network, or there is no archive to record into.
    public let recording: RecordingOutcome?
}
