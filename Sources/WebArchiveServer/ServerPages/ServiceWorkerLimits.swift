// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import WebArchive
import WebArchiveReplay

/// The limits to service workers of a replayed site that shares its origin with the server's own pages.
///
/// A worker whose scope is the whole origin reads every navigation in it (Service Workers, navigation preload and static routes), and
/// some of these look like those of a user. Its scope is at most the folder of its script, so that one in a deeper folder may run.
struct ServiceWorkerLimits {
    /// Whether the browser requests the script of a worker (Service Workers, section "Service-Worker").
    private let isWorkerScript: Bool
    /// Whether the script is in the root folder, so that the scope of its worker may be the whole origin.
    private let isAtRoot: Bool

    /// Reads the limits from the head of a request, by its path without the query.
    init(_ head: HTTPRequest) {
        isWorkerScript = head.headerFields.contains(.serviceWorker)
        let path = (head.path ?? "/").prefix { $0 != "?" }
        isAtRoot = !path.dropFirst().contains("/")
    }

    /// Returns a refusal of a script whose scope would be the whole origin.
    ///
    /// - Returns: 403 for such a script; nil for all other requests.
    func refusal(isHead: Bool) -> ReplayResponse? {
        guard isWorkerScript, isAtRoot else { return nil }
        return NoticePage(
            title: "No service worker for the whole site",
            text: [
                """
                Under this name, it could read the server's own pages. It can run under localhost, with --no-own-pages, and through the proxy \
                (--proxy).
                """
            ]
        ).response(.forbidden, outcome: .own, isHead: isHead)
    }

    /// Removes fields from a response that would widen the scope, or let a script reach a worker from the cache of the browser.
    func apply(to response: inout ReplayResponse) {
        response.head.headerFields[.serviceWorkerAllowed] = nil
        if isAtRoot, response.head.headerFields[.contentType]?.asciiLowercased.contains("script") == true {
            response.head.headerFields.append(HTTPField(name: .vary, value: "Service-Worker"))
        }
    }
}
