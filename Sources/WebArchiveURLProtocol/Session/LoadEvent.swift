// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A response that a load was given: its source, and whether it was recorded.
public struct LoadEvent: Hashable, Sendable {
    /// The origin of a response.
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

    /// The method of the request.
    public let method: String
    /// The URL of the request.
    public let url: URL
    /// The status code of the response.
    public let status: Int
    /// The origin of the response.
    public let source: Source
    /// Nil if nothing came from the network, or there is no archive to record into.
    public let recording: RecordingOutcome?
}
