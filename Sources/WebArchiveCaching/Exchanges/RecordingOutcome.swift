// SPDX-License-Identifier: Apache-2.0

/// The fate of a response that came from the network: recorded, or not and why.
public enum RecordingOutcome: Hashable, Sendable {
    /// The archive has it: it satisfies requests from now on, and is in the file after the next commit. Where a commit fails,
    /// ``RecordingArchive/onFailure`` is told.
    case stored
    /// The archive does not have it, for this reason; what was stored before stays.
    case notStored(Reason)

    /// A reason why a response was not recorded.
    public enum Reason: String, Hashable, Sendable {
        /// The request or the response says `Cache-Control: no-store`, and ``RecordingRules/honoursNoStore`` is set.
        case noStore
        /// The body has more bytes than ``RecordingRules/maximumBodyLength``.
        case tooLong
        /// It is a response to the request's own condition or range, and to no other request: 206, 304, 412, 416.
        case conditional
        /// It depends on a field of the request, by `Vary`, that is not stored, such as `Cookie`; or on more than fields (`*`).
        case varying
        /// A server's failure (5xx), which does not take the place of a stored response.
        case serverError
        /// The policy is `http`, and RFC 9111 section 3 does not let a cache store it.
        case notCacheable
        /// ``RecordingRules/willRecord`` gave nil.
        case vetoed
        /// The archive was closed, or there was no room for the request's body.
        case unwritable
    }
}
