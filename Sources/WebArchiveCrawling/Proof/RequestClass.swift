// SPDX-License-Identifier: Apache-2.0

/// A class of requests in the proof of a page: how the archive responds to it, compared with the crawl.
package enum RequestClass: String, CaseIterable, Sendable {
    /// The archive has the response to this very request, and the page sent it in the crawl as well, if that is known.
    case exact
    /// A rule of matching or of the publisher found the response in that of another request.
    case byRule
    /// The archive has no response.
    case missed
    /// The archive has the response, and no replay can give it: the messages of a WebSocket.
    case notReplayed
    /// The page tried to reach something that is not the proxy.
    case leaked
    /// The archive has the response, but the page did not send this request in the crawl, or had a different response to it.
    case new
    /// The page sent the request in the crawl, and in no replay.
    case notAskedAgain

    /// A phrase for people.
    package var name: String {
        switch self {
        case .exact: "exact"
        case .byRule: "by rule"
        case .missed: "missed"
        case .notReplayed: "not replayed"
        case .leaked: "leaked"
        case .new: "new"
        case .notAskedAgain: "not asked again"
        }
    }

    /// Whether a request of this class means that a visitor would miss something, or reach something else.
    package var isFault: Bool { self == .missed || self == .leaked }
}
