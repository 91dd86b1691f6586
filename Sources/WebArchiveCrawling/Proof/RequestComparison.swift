// SPDX-License-Identifier: Apache-2.0

/// A comparison of the requests of a page in its replays with those of its crawl.
///
/// Requests are compared as sets of (method, URL, digests of both bodies): a request that is repeated with the same response counts once, and the order does not count.
package struct RequestComparison: Sendable {
    /// The requests of all replays and of the crawl, in the order of their identities, each with its class.
    package let requests: [ClassifiedRequest]

    /// Compares.
    ///
    /// - Parameters:
    ///   - replays: the requests of each replay.
    ///   - observation: the requests of the crawl; nil for an archive without them, and then only the archive counts.
    package init(_ replays: [[ReplayedRequest]], with observation: PageObservation?) {
        let crawl = CrawledRequests(observation)
        var asked: Set<RequestIdentity> = []
        // With any response, for one that the archive did not give.
        var askedWithoutArchive: Set<RequestIdentity> = []
        var found: Set<ClassifiedRequest> = []
        for request in Set(replays.joined()) where request.identity.isOfNetwork || request.isLeak {
            switch request.answer {
            case .exact: asked.insert(request.identity)
            case .byRule(_, let entry): asked.formUnion([request.identity, entry].compactMap(\.self))
            case .missed, .notReplayed, .unsent, .leaked: askedWithoutArchive.insert(request.identity.asked)
            }
            if let classified = crawl.classify(request) { found.insert(classified) }
        }
        found.formUnion(crawl.requests(missingIn: asked, askedWithoutArchive))
        // Which of several pages sends the request for an icon is chance.
        requests = found.filter { $0.requestClass.isFault || $0.requestClass == .exact || !$0.identity.isForIcon }
            .sorted {
                ($0.identity, $0.requestClass.rawValue) < ($1.identity, $1.requestClass.rawValue)
            }
    }
}

extension ReplayedRequest {
    fileprivate var isLeak: Bool { if case .leaked = answer { true } else { false } }
}

/// The requests of the crawl of a page, by method, URL and content.
private struct CrawledRequests {
    /// The requests by method, URL and content; empty without an observation.
    private var responses: [RequestIdentity: [ObservedRequest]] = [:]
    private let isKnown: Bool

    init(_ observation: PageObservation?) {
        isKnown = observation != nil
        for request in observation?.requests ?? [] {
            let identity = RequestIdentity(request)
            if identity.isOfNetwork { responses[identity.asked, default: []].append(request) }
        }
    }

    /// Returns the class of a request of a replay; nil for one that no one would have sent.
    func classify(_ request: ReplayedRequest) -> ClassifiedRequest? {
        let identity = request.identity
        let crawled = responses[identity.asked]
        switch request.answer {
        case .leaked(let kind): return ClassifiedRequest(identity: identity, requestClass: .leaked, reason: kind)
        case .byRule(let rules, _): return ClassifiedRequest(identity: identity, requestClass: .byRule, rules: rules)
        case .missed(let reason, let near):
            // No one had a response in the crawl either, such as of a host that does not exist.
            if let crawled, crawled.allSatisfy({ $0.failure != nil }) {
                return ClassifiedRequest(identity: identity, requestClass: .exact)
            }
            return ClassifiedRequest(identity: identity, requestClass: .missed, reason: reason, near: near)
        case .notReplayed(let reason):
            return ClassifiedRequest(identity: identity, requestClass: .notReplayed, reason: reason)
        case .unsent(let reason):
            guard isKnown else { return nil }
            return crawled == nil
                ? ClassifiedRequest(identity: identity, requestClass: .new, reason: reason)
                : ClassifiedRequest(identity: identity, requestClass: .exact)
        case .exact:
            guard isKnown else { return ClassifiedRequest(identity: identity, requestClass: .exact) }
            guard let crawled else { return ClassifiedRequest(identity: identity, requestClass: .new) }
            return crawled.contains { Self.responds($0, identity) }
                ? ClassifiedRequest(identity: identity, requestClass: .exact)
                : ClassifiedRequest(
                    identity: identity, requestClass: .new, reason: "the crawl had another response")
        }
    }

    /// Returns the requests of the crawl that are not among those of the replays.
    func requests(
        missingIn asked: Set<RequestIdentity>, _ askedWithoutArchive: Set<RequestIdentity>
    ) -> [ClassifiedRequest] {
        let bodies = Dictionary(grouping: asked, by: \.asked)
        return responses.values.joined().compactMap { request in
            let identity = RequestIdentity(request)
            if askedWithoutArchive.contains(identity.asked) { return nil }
            let isAsked = bodies[identity.asked]?.contains { Self.responds(request, $0) } ?? false
            return isAsked ? nil : ClassifiedRequest(identity: identity, requestClass: .notAskedAgain)
        }
    }

    /// Returns whether the response of the crawl may be that of the archive: a body that the crawler did not see may be any.
    private static func responds(_ request: ObservedRequest, _ identity: RequestIdentity) -> Bool {
        request.body == nil || RequestIdentity(request).body == identity.body
    }
}
