// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveURLProtocol

extension LoadEvent {
    /// The reason why a response from the network is not in the archive; nil if it is, or is not intended to be.
    var reasonNotStored: RecordingOutcome.Reason? { if case .notStored(let reason) = recording { reason } else { nil } }
}

extension LoadEvent.Source {
    /// The source of the response, in words.
    var text: String {
        switch self {
        case .archive: "from the archive"
        case .staleArchive: "from the archive, stale"
        case .validated: "from the archive, validated by the server"
        case .network: "from the network"
        case .rule: "by a rule"
        }
    }
}

extension RecordingOutcome.Reason {
    /// The words after "not stored, as".
    var explanation: String {
        switch self {
        case .noStore: "the response has Cache-Control: no-store; store it with --ignore-no-store"
        case .tooLong: "its body exceeds --max-size"
        case .conditional: "it is valid only for the condition or the range of this request"
        case .varying:
            "it varies with fields that are not stored; store Authorization and Cookie with --keep-credentials"
        case .serverError: "a server error does not replace a stored response"
        case .notCacheable: "a cache may not store it (RFC 9111)"
        case .vetoed: "a rule forbids it"
        case .unwritable: "there is no space for the request body"
        }
    }
}
