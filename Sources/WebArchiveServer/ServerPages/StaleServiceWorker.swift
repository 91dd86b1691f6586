// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import WebArchive
import WebArchiveReplay

/// A script that replaces a service worker whose archive was served earlier at the same address.
///
/// A browser keeps a worker whose script is missing (Service Workers, algorithm "Update"), which then responds in place of the site that is served
/// now. This script unregisters itself, deletes the caches of the old worker, and reloads its pages.
enum StaleServiceWorker {
    /// The script. A worker that replaces no other only unregisters itself: there are no old caches to delete.
    private static let script = """
        // The site at this address has no service worker here.
        const replacesAnother = registration.active !== null
        addEventListener("install", () => skipWaiting())
        addEventListener("activate", event => event.waitUntil((async () => {
          await registration.unregister()
          if (!replacesAnother) return
          for (const name of await caches.keys()) await caches.delete(name)
          for (const client of await clients.matchAll({ type: "window" })) client.navigate(client.url).catch(() => {})
        })()))

        """

    /// Returns the script, for a request for a worker's script that the site does not have; nil for all others.
    ///
    /// - Parameter found: the response of the site. A failure does not remove a worker.
    static func response(to request: ReplayRequest, _ found: ReplayResponse) -> ReplayResponse? {
        guard request.addressing == .mainPageOrigin, request.head.headerFields.contains(.serviceWorker),
            !isScript(found.head)
        else { return nil }
        // A damaged script is not a missing one.
        if case .failed = found.outcome { return nil }
        let content = ByteBuffer(string: script)
        let fields: HTTPFields = [
            .contentType: "text/javascript; charset=utf-8", .contentLength: String(content.readableBytes),
            .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
        ]
        return ReplayResponse(
            HTTPResponse(status: .ok, headerFields: fields), request.head.method == .head ? [] : [.bytes(content)],
            outcome: found.outcome, url: found.url)
    }

    /// Returns whether a response has a script, or 304 for one.
    private static func isScript(_ head: HTTPResponse) -> Bool {
        if head.status == .notModified { return true }
        let type = head.headerFields[.contentType]?.asciiLowercased ?? ""
        return head.status.kind == .successful && (type.contains("javascript") || type.contains("ecmascript"))
    }
}
