// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchive

/// The requests of one visit, collected from the network events of all its sessions.
struct RequestLog {
    private struct Pending {
        var request: VisitedRequest
        /// The session of the last event: that of a worker ends the request for its script, which the page's began.
        var session: String
        /// Whether the page is not finished before it; false for a request that is meant to last.
        let isAwaited: Bool
        /// Whether it is by `fetch()`, whose response a page may leave unread: the browser then never reports its end.
        let isFetch: Bool
        var hasHead = false
        /// Whether a service worker gave the response, whose own requests are other ones.
        var isFromWorker = false
    }

    /// The maximum number of requests: a page can send them without end.
    static let maximumCount = 1 << 15
    /// The longest URL and method that are kept, in bytes.
    private static let maximumTextLength = CanonicalURL.maximumLength
    /// The types of requests that last as long as the page does.
    private static let lasting: Set<String> = ["EventSource", "Media", "Ping", "WebSocket"]

    /// The identifiers are unique in a browser.
    private var pending: [String: Pending] = [:]
    private var ended: [VisitedRequest] = []
    private var awaitedCount = 0
    /// The number of awaited requests by `fetch()` of which the head of the response is there.
    private var unreadCount = 0
    /// The number of requests that have begun.
    private(set) var count = 0
    /// The time of the last begin or end of a request that the page awaits.
    private(set) var lastActivity = ContinuousClock.now

    /// Whether requests were left out because there were too many.
    var isTruncated: Bool { count > Self.maximumCount }
    /// Whether the page awaits no request, apart from responses that it may leave unread.
    var isQuiet: Bool { awaitedCount == unreadCount }
    /// Whether there are responses that the page may leave unread, or may still be reading.
    var mayBeReading: Bool { unreadCount > 0 }
    /// The requests so far.
    var requests: [VisitedRequest] { ended + pending.values.filter { !$0.isFromWorker }.map(\.request) }

    /// Takes an event.
    ///
    /// - Returns: whether the event began or ended a request that the page awaits.
    mutating func take(_ method: String, _ event: JSONValue, session: String) -> Bool {
        guard let key = event["requestId"]?.text else { return false }
        pending[key]?.session = session
        switch method {
        case "Network.requestWillBeSent":
            if let redirect = event["redirectResponse"] {
                note(redirect, key)
                end(key)
            }
            guard let request = event["request"] else { return false }
            let type = event["type"]?.text
            return begin(key, Self.request(request, type: type), type: type, session)
        case "Network.webSocketCreated":
            guard let url = event["url"]?.text else { return false }
            return begin(key, VisitedRequest(method: "GET", url: url, isFrame: false), type: "WebSocket", session)
        case "Network.webSocketHandshakeResponseReceived", "Network.responseReceived":
            note(event["response"] ?? .null, key)
            return noteHead(key)
        case "Network.loadingFinished", "Network.webSocketClosed": return end(key)
        case "Network.loadingFailed":
            if pending[key]?.request.status == 0 {
                pending[key]?.request.failure = event["errorText"]?.text.map { String($0.prefix(200)) } ?? "failed"
            }
            return end(key)
        default: return false
        }
    }

    private mutating func begin(
        _ key: String, _ request: VisitedRequest, type: String?, _ session: String
    ) -> Bool {
        guard Self.isOfNetwork(request.url), request.url.utf8.count <= Self.maximumTextLength,
            request.method.utf8.count <= Self.maximumTextLength
        else { return false }
        count += 1
        guard count <= Self.maximumCount else { return false }
        end(key)
        let isAwaited = !Self.lasting.contains(type ?? "")
        pending[key] = Pending(
            request: request, session: session, isAwaited: isAwaited, isFetch: type == "Fetch")
        if isAwaited {
            awaitedCount += 1
            lastActivity = .now
        }
        return isAwaited
    }

    private mutating func note(_ response: JSONValue, _ key: String) {
        guard let status = response["status"]?.number.flatMap(Int.init(exactly:)), (100...999).contains(status) else {
            return
        }
        pending[key]?.request.status = status
        if response["fromServiceWorker"]?.isTrue == true { pending[key]?.isFromWorker = true }
    }

    /// Notes that the head of a response is there.
    ///
    /// - Returns: whether the page may leave the rest unread.
    private mutating func noteHead(_ key: String) -> Bool {
        guard let one = pending[key], one.isFetch, one.isAwaited, !one.hasHead else { return false }
        pending[key]?.hasHead = true
        unreadCount += 1
        lastActivity = .now
        return true
    }

    @discardableResult
    private mutating func end(_ key: String) -> Bool {
        guard let one = pending.removeValue(forKey: key) else { return false }
        if !one.isFromWorker { ended.append(one.request) }
        guard one.isAwaited else { return false }
        if one.hasHead { unreadCount -= 1 }
        awaitedCount -= 1
        lastActivity = .now
        return true
    }

    /// Ends the requests of a session that has ended: no more of its events come.
    mutating func end(session: String) {
        for (key, one) in pending where one.session == session { end(key) }
    }

    private static func request(_ json: JSONValue, type: String?) -> VisitedRequest {
        var request = VisitedRequest(
            method: json["method"]?.text ?? "GET", url: json["url"]?.text ?? "", isFrame: type == "Document")
        request.hasContent = json["hasPostData"]?.isTrue ?? false
        let parts = json["postDataEntries"]?.items ?? []
        guard !parts.isEmpty else { return request }
        var bytes: [UInt8] = []
        for part in parts {
            // A part without bytes is a file, which the browser does not give.
            guard let data = part["bytes"]?.text.flatMap({ Data(base64Encoded: $0) }) else { return request }
            bytes += data
        }
        request.content = ContentDigest(hashing: bytes)
        return request
    }

    private static func isOfNetwork(_ url: String) -> Bool {
        ["http://", "https://", "ws://", "wss://"].contains { url.utf8.starts(with: $0.utf8) }
    }
}
