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

    /// The fate of a response that came from the network just now.
    public enum Recording: Hashable, Sendable {
        /// The archive has it: it answers from now on, and is in the file after the next commit. Where a commit fails,
        /// ``RecordingArchive/onFailure`` is told.
        case stored
        case notStored(Reason)
    }

    /// A reason why a response was not recorded.
    public enum Reason: String, Hashable, Sendable {
        /// The request or the answer says `Cache-Control: no-store`, and ``RecordingRules/honoursNoStore`` is set.
        case noStore
        /// The body has more bytes than ``RecordingRules/maximumBodyLength``.
        case tooLong
        /// It answers the request's own condition or range, and no other request: 206, 304, 412, 416.
        case conditional
        /// It depends on a field of the request, by `Vary`, that is not stored, such as `Cookie`; or on more than fields (`*`).
        case varying
        /// A server's failure (5xx), which does not take the place of an answer that is stored.
        case serverError
        /// The policy is `http`, and RFC 9111 section 3 does not let a cache store it.
        case notCacheable
        /// ``RecordingRules/willRecord`` gave nil.
        case vetoed
        /// The archive was closed, or there was no room for the request's body.
        case unwritable
    }

    public let method: String
    public let url: URL
    public let status: Int
    public let source: Source
    /// Nil if nothing came from the network, or there is no archive to record into.
    public let recording: Recording?
}
