// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive

/// The validators of recorded responses (RFC 9110 section 8.8): a client that holds the same response may validate it, since the archive holds the
/// body as well.
final class HeldResponses: Sendable {
    private struct Validators {
        var tag: String?
        var modified: String?
    }

    private let known = Mutex<[String: Validators]>([:])

    /// The number of URLs that are remembered.
    private static let maximumCount = 100_000

    /// Returns whether the conditions of a request name the recorded response of its URL.
    func hold(_ url: String, _ fields: HeaderFields) -> Bool {
        guard let validators = known.withLock({ $0[url] }) else { return false }
        if let condition = fields["If-None-Match"] { return condition == validators.tag }
        guard let condition = fields["If-Modified-Since"] else { return false }
        return condition == validators.modified
    }

    /// Notes a response that is recorded as a whole.
    func note(_ exchange: CapturedExchange) {
        guard exchange.request.method == "GET", exchange.head.status == 200, exchange.truncation == nil else { return }
        let fields = exchange.head.fields
        let validators = Validators(tag: fields["ETag"], modified: fields["Last-Modified"])
        guard validators.tag != nil || validators.modified != nil else { return }
        known.withLock { known in
            if known.count < Self.maximumCount || known[exchange.request.url] != nil {
                known[exchange.request.url] = validators
            }
        }
    }
}
