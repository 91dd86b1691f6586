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
        case .staleArchive: "from the archive, and stale"
        case .validated: "from the archive, confirmed by the server"
        case .network: "from the network"
        case .rule: "by a rule"
        }
    }
}

extension RecordingOutcome.Reason {
    /// The words after "not stored, as".
    var explanation: String {
        switch self {
        case .noStore: "Cache-Control says no-store; --ignore-no-store stores it"
        case .tooLong: "its body is longer than --max-size"
        case .conditional: "it is a response to the condition or the range of this request only"
        case .varying: "it depends on what is not stored; --keep-credentials stores Authorization and Cookie"
        case .serverError: "a server's failure does not take the place of a response"
        case .notCacheable: "a cache may not store it (RFC 9111)"
        case .vetoed: "a rule is against it"
        case .unwritable: "there is no room for the request's body"
        }
    }
}
