// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// An explainer of how an archive responds to a request, with the rules of `webarc why`.
struct RequestExplainer: Sendable {
    private let archive: ArchiveReader
    private let matcher: ArchiveMatcher
    private let time: ArchiveTime?

    /// The number of entries near a miss that are named.
    private static let maximumNearCount = 3

    /// Creates an explainer with the rules of the replay.
    init(_ archive: ArchiveReader, options: ArchiveMatcher.Options, time: ArchiveTime?) {
        self.archive = archive
        (matcher, self.time) = (ArchiveMatcher(archive, options: options), time)
    }

    /// Returns the way in which the archive responded to a request.
    func answer(to request: ProxiedRequest) -> ReplayedRequest.Answer {
        let identity = request.identity
        if identity.url.hasPrefix("ws") { return answer(toWebSocket: identity.url) }
        if case .unreadable(let error) = request.outcome {
            return .missed("the entry is unreadable: \(error)", near: [])
        }
        guard let url = try? CanonicalURL(identity.url) else { return .missed("not a URL", near: []) }
        var lookup = MatchRequest(
            url: url, method: identity.method, headers: request.headers, bodyDigest: identity.content, time: time)
        lookup.content = request.content
        guard let explanation = try? matcher.explain(lookup) else {
            return .missed("its index is unreadable", near: [])
        }
        guard case .responded = request.outcome else { return Self.miss(explanation) }
        if let rule = explanation.rule { return .byRule([rule.description], entry: Self.entry(explanation)) }
        guard let match = explanation.match, !match.isExact else { return .exact }
        return .byRule(match.rules.map(\.description), entry: Self.entry(explanation))
    }

    /// Returns whether the archive's document of a page mentions a name; false if it is too long, or damaged.
    func document(_ page: String, mentions name: String) -> Bool {
        guard let url = try? CanonicalURL(page),
            let body = try? matcher.match(MatchRequest(url: url, time: time))?.entry.body,
            body.length <= Self.maximumDocumentLength, let bytes = try? body.bytes()
        else { return false }
        return String(decoding: bytes, as: UTF8.self).contains(name)
    }

    private static let maximumDocumentLength: UInt64 = 4 << 20

    /// Returns the way to respond to a WebSocket: the archive may have its messages, but no replay sends them.
    func answer(toWebSocket url: String) -> ReplayedRequest.Answer {
        guard let url = try? CanonicalURL(url), let entry = try? archive.entry(for: url), (try? entry.response) != nil
        else { return .missed("a WebSocket, which is not in the archive", near: []) }
        return .notReplayed("a WebSocket, whose messages the archive has, and webarc does not replay")
    }

    private static func entry(_ explanation: MatchExplanation) -> RequestIdentity? {
        guard let entry = explanation.match?.entry, let url = try? entry.key, let method = try? entry.method else {
            return nil
        }
        return RequestIdentity(
            method: method, url: url, content: try? entry.requestBody?.digest, body: try? entry.body?.digest)
    }

    private static func miss(_ explanation: MatchExplanation) -> ReplayedRequest.Answer {
        if explanation.hasResponse { return .missed("the archive states that there was no response", near: []) }
        // The step that came nearest: an entry of this URL for another request says more than one that is not stored.
        let steps = explanation.steps
        let step = steps.first { $0.outcome != .notStored } ?? steps.first
        // One of many URLs with a common beginning says little.
        let near = explanation.nearMisses.filter { if case .similar = $0 { false } else { true } }
        return .missed(
            step?.outcome.description ?? "not in the archive",
            near: (near.isEmpty ? explanation.nearMisses.prefix(1) : near.prefix(maximumNearCount))
                .map(\.description))
    }
}
