// SPDX-License-Identifier: Apache-2.0

/// The outcome of recording a response from the network: recorded, or not, with the reason.
public enum RecordingOutcome: Hashable, Sendable {
    /// The archive has it: it satisfies requests from now on, and is in the file after the next commit. If a commit fails,
    /// ``RecordingArchive/onFailure`` is called.
    case stored
    /// The archive does not have it, for this reason; earlier stored responses stay.
    case notStored(Reason)

    /// A reason why a response was not recorded.
    public enum Reason: String, Hashable, Sendable {
        /// The request or the response has `Cache-Control: no-store`, and ``RecordingRules/honoursNoStore`` is set.
        case noStore
        /// The body has more bytes than ``RecordingRules/maximumBodyLength``.
        case tooLong
        /// It is a response only to the request's own condition or range: 206, 304, 412, 416.
        case conditional
        /// It depends by `Vary` on a field of the request that is not stored, such as `Cookie`; or on more than fields (`*`).
        case varying
        /// A server's failure (5xx), which does not replace a stored response.
        case serverError
        /// The policy is `http`, and RFC 9111 section 3 does not let a cache store it.
        case notCacheable
        /// ``RecordingRules/willRecord`` returned nil.
        case vetoed
        /// The archive was closed, or there was no space for the request's body.
        case unwritable
    }
}
