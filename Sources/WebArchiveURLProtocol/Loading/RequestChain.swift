// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request on its way to a response, from redirect to redirect. It runs as far as possible at once, and continues asynchronously.
struct RequestChain: Sendable {
    /// The next step of a load.
    private enum Step: Sendable {
        /// The rules run first.
        case begin
        case lookUp
        case fetch(NetworkFetch)
        case use(HopResponse)
        case done(LoadOutcome)
    }

    private let loader: SessionLoader
    private var request: URLRequest
    private var body: RequestBody
    private var redirectCount = 0
    /// The index of the first archive to search, beyond those with an unreadable response.
    private var firstArchive = 0
    /// The index of the archive that has the stored exchange.
    private var place = 0
    private var shaping = NetworkConditioning()
    /// The reason why the stored response was unreadable.
    private var damage: ArchiveError?
    private var step = Step.begin

    /// The maximum length that is decoded at once: longer bodies would delay all other loads.
    private static let lengthAtOnce: UInt64 = 256 << 10

    init(_ request: URLRequest, body: RequestBody, _ loader: SessionLoader) {
        self.loader = loader
        self.request = loader.completed(request)
        self.body = body
    }

    /// Returns the outcome, if it takes neither the network nor time.
    mutating func runAtOnce() -> LoadOutcome? {
        guard loader.respondsAtOnce, !body.isUnread else { return nil }
        while true {
            switch step {
            case .fetch:
                return nil
            case .use(let hop) where hop.lengthToDecode > Self.lengthAtOnce:
                return nil
            case .done(let outcome):
                return shaping.isNone ? outcome : nil
            case .begin, .lookUp, .use:
                advance()
            }
        }
    }

    /// Runs to the outcome, over all redirects that are followed internally. A failure of the network or of the request's body ends it.
    mutating func run() async -> LoadOutcome {
        do throws(URLError) {
            body = try await body.read()
            while true {
                switch step {
                case .fetch(let fetch):
                    let hop = try await loader.fetch(fetch)
                    loader.loadWholeBody(behind: hop, of: fetch)
                    step = .use(hop)
                case .done(let outcome):
                    return await shaping.deliver(outcome, for: request)
                case .begin, .lookUp, .use:
                    advance()
                }
            }
        } catch {
            return .failure(error)
        }
    }

    /// Performs one step that does not wait.
    private mutating func advance() {
        switch step {
        case .begin: step = begin()
        case .lookUp: step = lookUp()
        case .use(let hop): step = use(hop)
        case .fetch, .done: break
        }
    }

    // MARK: - One hop

    /// Applies the rules to this hop. Delays of earlier hops still count; pace and faults are those of this hop's rules.
    private mutating func begin() -> Step {
        let delay = shaping.delay
        defer { shaping.delay += delay }
        switch loader.applyRules(to: request, body) {
        case .proceed(let changed, let shaping):
            (request, self.shaping) = (changed, shaping)
            return .lookUp
        case .block(let error):
            return .done(.failure(error))
        case .respond(let local, let shaping):
            self.shaping = shaping
            do throws(URLError) {
                return .use(try HopResponse(local, for: request))
            } catch {
                return .done(.failure(error))
            }
        }
    }

    /// Looks up the archives, lets the policy decide, and returns the next step.
    ///
    /// An unreadable archive counts as one without the response; the damage is reported only if there is no other response.
    private mutating func lookUp() -> Step {
        let cachePolicy = loader.cachePolicy(for: request)
        for field in cachePolicy.directives where request.value(forHTTPHeaderField: field.name) == nil {
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        let archiveRequest = ArchiveRequest(request)
        guard let url = request.url, let canonical = try? CanonicalURL(parsing: archiveRequest.url) else {
            return .done(.failure(URLError(.badURL, request.url, "not an absolute URL")))
        }
        var stored: StoredExchange?
        do throws(ArchiveError) {
            let found = try loader.archives.lookUp(
                MatchRequest(
                    url: canonical, method: archiveRequest.method, headers: archiveRequest.headers,
                    bodyDigest: body.digest),
                from: firstArchive)
            (stored, place) = (found?.exchange, found?.place ?? place)
        } catch {
            damage = damage ?? error
        }
        let policy = loader.policy.overridden(by: cachePolicy)
        let isOnline = loader.options.connectivity.isOnline
        var fetch = NetworkFetch(
            request: request,
            forwarded: ForwardedRequest(
                request: archiveRequest, url: canonical, body: body.data, policy: policy, sessionPolicy: loader.policy,
                replaced: stored,
                stripFields: { [request, rules = loader.options.strippedFields] in rules.strip(&$0, &$1, of: request) })
        )
        switch policy.decide(
            PolicyRequest(request: archiveRequest, isOnline: isOnline, now: loader.options.now()), stored: stored)
        {
        case .serve(let exchange, let isStale, let conditions):
            if let conditions {
                fetch.conditions = conditions
                loader.refreshInBackground(fetch)
            }
            return .use(HopResponse(exchange, isStale ? .staleArchive : .archive))
        case .load(let conditions, let fallback):
            (fetch.conditions, fetch.fallback) = (conditions, fallback)
            return .fetch(fetch)
        case .expired:
            loader.archives.recording?.remove(canonical)
            return isOnline
                ? .fetch(fetch)
                : .done(.failure(URLError(policy.offlineError, url, "offline; the stored response has expired")))
        case .fail(let code, let reason):
            guard let damage else { return .done(.failure(URLError(code, url, reason))) }
            return .done(.failure(URLError(.cannotDecodeRawData, url, damage.description, cause: damage)))
        case .gatewayTimeout:
            return .use(HopResponse(response: ArchiveResponse(status: 504), body: nil, source: .archive))
        }
    }

    /// Uses a response: reports it, stores its cookies, follows it if it is a redirect, or selects the requested part of it.
    ///
    /// If a stored body proves to be unreadable, the remaining archives are searched.
    private mutating func use(_ hop: HopResponse) -> Step {
        loader.report(request, hop)
        loader.cookies.store(hop.response.headers, from: request)
        do throws(ArchiveError) {
            if let next = RedirectedRequest(
                request, body: body, hop.response, keepsOwnFields: loader.options.keepsFieldsAcrossOrigins),
                let scheme = next.request.url?.scheme, loader.options.schemes.contains(scheme.asciiLowercased)
            {
                return try follow(next, hop)
            }
            return .done(.response(try ResponseSelection(request: request, hop, loader.responses).loaded()))
        } catch {
            // Damaged responses count as missing, as in a cache.
            if hop.isStored {
                (firstArchive, damage) = (place + 1, damage ?? error)
                return .lookUp
            }
            return .done(.failure(URLError(.cannotDecodeRawData, request.url, error.description, cause: error)))
        }
    }

    /// Continues with the target of a redirect: by the session if the platform supports it, otherwise with another hop.
    private mutating func follow(_ next: RedirectedRequest, _ hop: HopResponse) throws(ArchiveError) -> Step {
        if LoadingPlatform.handsOverRedirects {
            let bare = HopResponse(response: hop.response, body: nil, source: hop.source)
            return .done(
                .redirect(
                    next.request,
                    try ResponseSelection(request: request, bare, loader.responses).loaded().response))
        }
        redirectCount += 1
        guard redirectCount <= loader.options.maximumRedirects else {
            let reason = "more than \(redirectCount - 1) redirects"
            return .done(.failure(URLError(.httpTooManyRedirects, request.url, reason)))
        }
        (request, body, firstArchive, damage) = (next.request, next.body, 0, nil)
        loader.cookies.set(on: &request)
        return .begin
    }
}

extension ArchiveRequest {
    /// Creates the stored form of a request: the fields sorted by name, as Foundation does not report their order.
    init(_ request: URLRequest) {
        self.init(
            method: request.httpMethod ?? "GET", url: request.url.map(Self.text) ?? "",
            headers: HeaderFields(request.allHTTPHeaderFields ?? [:]))
    }

    /// Removes userinfo and fragment (RFC 9110 sections 4.2.4 and 7.1).
    private static func text(_ url: URL) -> String {
        guard url.user != nil || url.fragment != nil,
            var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return url.absoluteString }
        (components.user, components.password, components.fragment) = (nil, nil, nil)
        return components.url?.absoluteString ?? url.absoluteString
    }
}
