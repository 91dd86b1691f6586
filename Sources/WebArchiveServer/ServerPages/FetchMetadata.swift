// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import WebArchiveReplay

/// The Fetch Metadata request headers of a request (`Sec-Fetch-*`).
///
/// The server uses them to deny its own pages to scripts of replayed sites, which share their origin.
struct FetchMetadata {
    private let head: HTTPRequest

    /// Takes the head of a request, whose fields are read on access.
    init(_ head: HTTPRequest) { self.head = head }

    /// Whether a browser sent the request; other programs have none of these fields.
    var isOfBrowser: Bool {
        [.fetchSite, .fetchDestination, .secFetchMode, .serviceWorkerNavigationPreload].contains(
            where: head.headerFields.contains)
    }

    /// The use of the response; a program that is not a browser counts as a person.
    var destination: String { head.headerFields[.fetchDestination] ?? "document" }

    /// Whether the browser navigates to the address; a service worker that passes such a request on leaves its mode, not its destination.
    var isNavigation: Bool { destination == "document" || head.headerFields[.secFetchMode] == "navigate" }

    /// Whether a page of this origin sends the request, such as replayed ones, or a service worker of one. The explorer's pages are sandboxed, and so
    /// are cross-site to every origin. An unknown or duplicate value counts as a replayed page's.
    ///
    /// A page reads the responses to its own requests, and a service worker those that the browser loads ahead of it (Service Workers,
    /// navigation preload), a navigation to an address of its scope included.
    var isOfReplayedPage: Bool {
        !["none", "cross-site"].contains(head.headerFields[.fetchSite] ?? "none")
            || head.headerFields.contains(.serviceWorkerNavigationPreload)
    }
}
