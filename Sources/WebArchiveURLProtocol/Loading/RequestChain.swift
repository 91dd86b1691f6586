// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request on its way to an answer, from redirect to redirect. Runs as far as it can at once, and goes on from there when there is time.
struct RequestChain: Sendable {
    /// What is to be done next.
    private enum Step: Sendable {
        case lookUp
        case fetch(NetworkFetch)
        case use(HopAnswer)
        case done(LoadOutcome)
    }

    private let loader: SessionLoader
    private var request: URLRequest
    private var body: RequestBody
    private var redirectCount = 0
    /// Set after what is stored has proved unreadable: it counts as missing then.
    private var ignoresStored = false
    private var shaping = Shaping()
    private var step = Step.lookUp

    /// Bodies of more bytes that have to be decoded would hold up all other loads.
    private static let lengthAtOnce: UInt64 = 256 << 10

    init(_ request: URLRequest, body: RequestBody, _ loader: SessionLoader) {
        self.loader = loader
        self.request = request
        self.body = body
    }

    /// The outcome, if it takes neither the network nor time.
    mutating func runAtOnce() -> LoadOutcome? {
        while true {
            switch step {
            case .lookUp:
                guard !body.isUnread else { return nil }
                step = lookUp()
            case .use(let answer):
                guard answer.lengthToDecode <= Self.lengthAtOnce else { return nil }
                step = use(answer)
            case .fetch:
                return nil
            case .done(let outcome):
                return shaping.isNone ? outcome : nil
            }
        }
    }

    mutating func run() async -> LoadOutcome {
        do throws(URLError) {
            body = try await body.read()
            while true {
                switch step {
                case .lookUp:
                    step = lookUp()
                case .use(let answer):
                    step = use(answer)
                case .fetch(let fetch):
                    step = .use(try await loader.fetch(fetch))
                case .done(let outcome):
                    return await shaping.deliver(outcome, for: request)
                }
            }
        } catch {
            return .failure(error)
        }
    }

    // MARK: - One hop

    private mutating func lookUp() -> Step {
        switch loader.applyRules(to: request, body) {
        case .proceed(let changed, let shaping):
            (request, self.shaping) = (changed, shaping)
            return lookUpStored()
        case .block(let error):
            return .done(.failure(error))
        case .answer(let local, let shaping):
            self.shaping = shaping
            do throws(URLError) {
                return .use(try HopAnswer(local, for: request))
            } catch {
                return .done(.failure(error))
            }
        }
    }

    private mutating func lookUpStored() -> Step {
        guard let url = request.url, let canonical = try? CanonicalURL(parsing: url.absoluteString) else {
            return .done(.failure(URLError(.badURL, request.url, "not an absolute URL")))
        }
        for field in request.cachePolicy.directives where request.value(forHTTPHeaderField: field.name) == nil {
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        let asked = ArchiveRequest(request)
        var (stored, damage): (StoredExchange?, ArchiveError?)
        do throws(ArchiveError) {
            if !ignoresStored {
                stored = try loader.archives.lookUp(
                    MatchRequest(url: canonical, method: asked.method, headers: asked.headers, bodyDigest: body.digest))
            }
        } catch {
            damage = error
        }
        let policy = loader.policy(for: request)
        let isOnline = loader.options.connectivity.isOnline
        var fetch = NetworkFetch(
            request: request, asked: asked, url: canonical, body: body, policy: policy, replaced: stored)
        switch policy.decide(
            PolicyRequest(request: asked, isOnline: isOnline, now: loader.options.now()), stored: stored)
        {
        case .serve(let exchange, let isStale, let conditions):
            if let conditions {
                fetch.conditions = conditions
                loader.refreshInBackground(fetch)
            }
            return .use(HopAnswer(exchange, isStale ? .staleArchive : .archive))
        case .load(let conditions, let fallback):
            (fetch.conditions, fetch.fallback) = (conditions, fallback)
            return .fetch(fetch)
        case .expired:
            loader.archives.recording?.remove(canonical)
            return isOnline
                ? .fetch(fetch)
                : .done(.failure(URLError(policy.offlineError, url, "offline, and too old in the archive")))
        case .fail(let code, let reason):
            return .done(.failure(URLError(code, url, damage?.description ?? reason, cause: damage)))
        case .gatewayTimeout:
            return .use(HopAnswer(answer: ArchiveAnswer(status: 504), body: nil, source: .archive))
        }
    }

    private mutating func use(_ answer: HopAnswer) -> Step {
        loader.report(request, answer)
        loader.cookies.store(answer.answer.headers, from: request)
        do throws(ArchiveError) {
            if let next = RedirectedRequest(request, body: body, answer.answer) { return try follow(next, answer) }
            return .done(.answer(try AnswerSelection(request: request, answer: answer, loader.responses).loaded()))
        } catch {
            // What is damaged is missing, as it is for a cache.
            if answer.isStored, !ignoresStored {
                ignoresStored = true
                return .lookUp
            }
            return .done(.failure(URLError(.cannotDecodeRawData, request.url, error.description, cause: error)))
        }
    }

    private mutating func follow(_ next: RedirectedRequest, _ answer: HopAnswer) throws(ArchiveError) -> Step {
        if LoadingPlatform.handsOverRedirects {
            let bare = HopAnswer(answer: answer.answer, body: nil, source: answer.source)
            return .done(
                .redirect(
                    next.request,
                    try AnswerSelection(request: request, answer: bare, loader.responses).loaded().response))
        }
        redirectCount += 1
        guard redirectCount <= loader.options.maximumRedirects else {
            let reason = "more than \(redirectCount - 1) redirects"
            return .done(.failure(URLError(.httpTooManyRedirects, request.url, reason)))
        }
        (request, body, ignoresStored) = (next.request, next.body, false)
        loader.cookies.set(on: &request)
        return .lookUp
    }
}

extension ArchiveRequest {
    /// The fields sorted by name, as Foundation does not tell their order.
    init(_ request: URLRequest) {
        self.init(
            method: request.httpMethod ?? "GET", url: request.url?.absoluteString ?? "",
            headers: HeaderFields(request.allHTTPHeaderFields ?? [:]))
    }
}
