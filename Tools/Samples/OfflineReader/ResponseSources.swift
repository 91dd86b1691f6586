// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import WebArchiveURLProtocol

/// Remembers where responses came from. The session tells it from any thread, before it delivers the response.
final class ResponseSources: Sendable {
    private let sources = Mutex<[URL: LoadEvent.Source]>([:])

    func note(_ event: LoadEvent) { sources.withLock { $0[event.url] = event.source } }

    subscript(url: URL) -> String {
        switch sources.withLock({ $0[url] }) {
        case .archive, .staleArchive: "archive"
        case .network, .validated: "network"
        case .rule: "app"
        case nil: "unknown"
        }
    }
}
