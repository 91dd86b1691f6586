// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A replay of a page, as the browser and the proxy observed it.
struct PageReplay: Sendable {
    /// The requests as the browser observed them, those of frames and workers included.
    var observed: [ObservedRequest] = []
    /// The requests as the proxy got them.
    var proxied: [ProxiedRequest] = []
    /// The attempts at something that is not the proxy: the kind of each, with the address that the page named.
    var attempts: [Attempt] = []
    /// The title of the page; nil without one.
    var title: String?
    /// The text that the page shows; nil if the replay came to no end.
    var text: [UInt8]?
    /// The picture of the page, a PNG; nil likewise.
    var screenshot: [UInt8]?
    /// The reason why the replay did not end as it should; nil if it did.
    var failure: String?

    /// An attempt of a page to reach something that is not the proxy.
    struct Attempt: Hashable, Sendable {
        /// The kind: `WebRTC`, `WebTransport`.
        let kind: String
        /// The address that the page named; empty without one.
        let address: String
    }

    /// The errors of Chromium for a request that tried to go past the proxy: names are looked up and other machines are connected to there.
    private static let errorsPastProxy = [
        "net::ERR_NAME_NOT_RESOLVED", "net::ERR_ADDRESS_UNREACHABLE", "net::ERR_INTERNET_DISCONNECTED",
        "net::ERR_NETWORK_UNREACHABLE", "net::ERR_NETWORK_ACCESS_DENIED", "net::ERR_DNS_",
    ]

    /// Returns the requests of the replay, each with the archive's way to respond.
    ///
    /// The proxy sees what leaves the browser, and the browser what its memory, its service workers and the policies of a page keep there.
    ///
    /// - Parameters:
    ///   - explain: a function that returns the way to respond to a request of the proxy.
    ///   - explainWebSocket: a function that returns the way to respond to a WebSocket at a URL.
    ///   - isAsked: a function that returns whether the page itself names an icon of its host: otherwise the request is the browser's own.
    func requests(
        by explain: (ProxiedRequest) -> ReplayedRequest.Answer,
        _ explainWebSocket: (String) -> ReplayedRequest.Answer, isAsked: (RequestIdentity) -> Bool
    ) -> [ReplayedRequest] {
        // The browser does not always report the body of a request.
        let observations = Dictionary(grouping: observed) { RequestIdentity(method: $0.method, url: $0.url) }
        var requests: [ReplayedRequest] = []
        var seen: Set<RequestIdentity> = []
        for request in proxied {
            let target = RequestIdentity(method: request.identity.method, url: request.identity.url)
            seen.insert(target)
            if request.isForIcon, !isAsked(target) { continue }
            requests.append(ReplayedRequest(request.identity, explain(request)))
        }
        for (target, kept) in observations where !seen.contains(target) {
            let isWebSocket = target.url.hasPrefix("ws:") || target.url.hasPrefix("wss:")
            let answer = isWebSocket ? explainWebSocket(target.url) : Self.answer(kept)
            requests += Set(kept.map { RequestIdentity($0).asked }).map { ReplayedRequest($0, answer) }
        }
        for attempt in attempts {
            let identity = RequestIdentity(method: attempt.kind, url: attempt.address)
            requests.append(ReplayedRequest(identity, .leaked("a connection for which browsers use no proxy")))
        }
        return requests
    }

    /// Returns the way to respond to a request that did not reach the proxy.
    private static func answer(_ requests: [ObservedRequest]) -> ReplayedRequest.Answer {
        let failures = requests.compactMap(\.failure)
        if let past = failures.first(where: { failure in errorsPastProxy.contains { failure.contains($0) } }) {
            return .leaked("not through the proxy: \(past)")
        }
        return .unsent(failures.first)
    }
}
