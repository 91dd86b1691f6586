// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A response that a load was given: its source, and whether it was recorded.
public struct LoadEvent: Hashable, Sendable {
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

    public let method: String
    public let url: URL
    public let status: Int
    public let source: Source
    /// Nil if nothing came from the network, or there is no archive to record into.
    public let recording: RecordingOutcome?
}
