// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive
import WebArchiveBrowser
import WebArchiveRecording

/// The digests of the exchanges that went through the proxy, by their requests. A browser that has a response in its cache requests it once, and a page
/// has it all the same.
final class ExchangeTable: Sendable {
    private struct Key: Hashable {
        let method: String
        let url: String
        /// Nil for a request without a body, and for the newest one of any body.
        let content: ContentDigest?
    }

    private struct Digests {
        var body: ContentDigest?
        var content: ContentDigest?
    }

    /// The number of the most recent requests that are remembered: those of thousands of pages.
    private static let capacity = 50_000

    private let recent = Mutex(RecentValues<Key, Digests>(capacity: capacity))

    /// Notes an exchange; on the proxy's queue.
    func note(_ exchange: ProxiedExchange) {
        guard exchange.failure == nil else { return }
        let digests = Digests(body: exchange.bodyDigest, content: exchange.requestBodyDigest)
        recent.withLock { recent in
            recent[Key(method: exchange.method, url: exchange.url, content: nil)] = digests
            guard let content = exchange.requestBodyDigest else { return }
            recent[Key(method: exchange.method, url: exchange.url, content: content)] = digests
        }
    }

    /// Returns a request of a page with the digests of its exchange, as far as they are known.
    func observed(_ request: VisitedRequest) -> ObservedRequest {
        let digests = recent.withLock { recent in
            recent[Key(method: request.method, url: request.url, content: request.content)]
                ?? recent[Key(method: request.method, url: request.url, content: nil)]
        }
        return ObservedRequest(
            method: request.method, url: request.url, status: request.status,
            body: request.status == 0 ? nil : digests?.body,
            content: request.content ?? (request.hasContent ? digests?.content : nil), failure: request.failure,
            isFrame: request.isFrame)
    }
}
