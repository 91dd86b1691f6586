// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization
import WebArchive
import WebArchiveReplay

/// A request as the proxy of a replay got it, with what became of it.
struct ProxiedRequest: Sendable {
    /// An outcome.
    enum Outcome: Sendable {
        case responded, missing
        case unreadable(ArchiveError)
    }

    /// The request, and the body of the response.
    let identity: RequestIdentity
    /// The fields of the request.
    let headers: HeaderFields
    /// The body of the request, if it is short enough to be compared.
    let content: [UInt8]?
    let outcome: Outcome

    /// Whether it is the browser's own for a picture beside the page's title, which a page need not name.
    var isForIcon: Bool {
        identity.isForIcon && headers["Sec-Fetch-Dest"].map { $0 == "image" } ?? true
    }

    init?(_ request: ReplayRequest, _ response: ReplayResponse) {
        let fields = request.head.headerFields
        guard var url = response.url?.description ?? Self.url(of: request.head) else { return nil }
        // RFC 6455 section 3: a page names it by a scheme of its own.
        if fields[.upgrade]?.lowercased() == "websocket" { url = "ws" + url.dropFirst(4) }
        headers = HeaderFields(fields)
        content = request.content
        switch response.outcome {
        case .responded: outcome = .responded
        case .failed(let error): outcome = .unreadable(error)
        case .missing, .own: outcome = .missing
        }
        let isOfArchive = if case .responded = outcome { true } else { false }
        identity = RequestIdentity(
            method: request.head.method.rawValue, url: url, content: request.bodyDigest,
            body: isOfArchive ? response.bodyDigest : nil)
    }

    private static func url(of head: HTTPRequest) -> String? {
        guard let scheme = head.scheme, let authority = head.authority else { return nil }
        return "\(scheme)://\(authority)\(head.path ?? "/")"
    }
}

/// A collector of the requests that reach the proxy of one replay: it sees those of workers and of the browser itself as well.
final class ProxyWitness: Sendable {
    /// The maximum number of different requests of one page, and of bytes of their fields: a page may make them up without end.
    private let maximumCount: Int
    private static let maximumLength = 32 << 20

    private struct State {
        var requests: [RequestIdentity: ProxiedRequest] = [:]
        var length = 0
        /// Whether requests were left out.
        var isTruncated = false
    }

    private let state = Mutex(State())

    /// - Parameter maximumCount: the maximum number of different requests of one page.
    init(maximumCount: Int = PageObservation.maximumCount) { self.maximumCount = maximumCount }

    /// Notes a request; from any thread.
    func note(_ request: ReplayRequest, _ response: ReplayResponse) {
        guard let proxied = ProxiedRequest(request, response) else { return }
        state.withLock { state in
            let length =
                proxied.headers.reduce(proxied.identity.url.utf8.count) {
                    $0 + $1.nameBytes.count + $1.valueBytes.count
                }
                + (proxied.content?.count ?? 0)
            guard state.requests[proxied.identity] == nil else { return }
            guard state.requests.count < maximumCount, state.length + length <= Self.maximumLength else {
                state.isTruncated = true
                return
            }
            state.length += length
            state.requests[proxied.identity] = proxied
        }
    }

    /// Returns the requests since the last call, in the order of their identities, and whether there were more than are kept.
    func take() -> (requests: [ProxiedRequest], isTruncated: Bool) {
        state.withLock { state in
            defer { state = State() }
            return (state.requests.values.sorted { $0.identity < $1.identity }, state.isTruncated)
        }
    }
}
