// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The loader of one installation, with its archives, policy and network transport.
final class SessionLoader: Sendable {
    let archives: SessionArchives
    let options: SessionOptions
    let cookies: SessionCookies
    let responses = PreparedResponses()
    /// Whether responses can be delivered on the loading queue: not if the app's own code is involved, which may wait, or use a session.
    let respondsAtOnce: Bool
    let policy: ArchivePolicy
    /// The header fields of the configuration, which no request shows.
    private let additionalFields: [String: String]
    /// The cache policy of the session, for requests without one of their own.
    private let cachePolicy: URLRequest.CachePolicy
    private let network: NetworkTransport
    private let rules: RuleSet
    private let stub: Stub?
    private let commits: BackgroundCommits?
    /// The refreshes in progress, by their URLs.
    private let refreshing = Mutex<[CanonicalURL: Task<Void, Never>]>([:])
    /// The bodies that were loaded as a whole in the background, and must not be recorded.
    private let unrecorded = Mutex<Set<CanonicalURL>>([])
    private static let maximumUnrecordedCount = 4096

    /// - Parameter configuration: the app's configuration, in a copy that is used only here.
    init(
        _ archives: SessionArchives, policy: ArchivePolicy, options: SessionOptions, stub: Stub? = nil,
        configuration: URLSessionConfiguration
    ) {
        self.archives = archives
        self.policy = policy
        self.options = options
        respondsAtOnce =
            options.rules.isEmpty && options.onResponse == nil && stub == nil && !options.connectivity.callsOut
        additionalFields = Dictionary(
            (configuration.httpAdditionalHeaders ?? [:]).compactMap { name, value in
                (name as? String).map { ($0, "\(value)") }
            }, uniquingKeysWith: { first, _ in first })
        configuration.httpAdditionalHeaders = nil
        cachePolicy = configuration.requestCachePolicy
        cookies = SessionCookies(configuration)
        rules = RuleSet(options.rules)
        self.stub = stub
        commits = archives.recording.map(BackgroundCommits.init)
        network = NetworkTransport(configuration, spoolFolders: archives.spoolFolders, now: options.now)
    }

    func cachePolicy(for request: URLRequest) -> URLRequest.CachePolicy {
        request.cachePolicy == .useProtocolCachePolicy ? cachePolicy : request.cachePolicy
    }

    /// Returns the request with all additions of the session: responses may depend on every sent field.
    func completed(_ request: URLRequest) -> URLRequest {
        var request = request
        for (name, value) in additionalFields where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        // Elsewhere the session has set them.
        if LoadingPlatform.handsOverRedirects, request.value(forHTTPHeaderField: "Cookie") == nil {
            cookies.set(on: &request)
        }
        return request
    }

    func applyRules(to request: URLRequest, _ body: RequestBody) -> RuleOutcome {
        guard let stub else { return rules.apply(to: request, isMetered: options.connectivity.isMetered) }
        var shown = request
        if let data = body.data { shown.httpBody = data }
        return stub.outcome(for: shown)
    }

    func report(_ request: URLRequest, _ hop: HopResponse) {
        guard let onResponse = options.onResponse, let url = request.url else { return }
        onResponse(
            LoadEvent(
                method: request.httpMethod ?? "GET", url: url, status: hop.response.status, source: hop.source,
                recording: hop.recording))
    }

    // MARK: - Network

    /// Loads from the server, records the response, and falls back on the stored one if the policy permits it.
    func fetch(_ fetch: NetworkFetch) async throws(URLError) -> HopResponse {
        let came: ReceivedResponse
        do throws(URLError) {
            came = try await network.load(fetch.wireRequest, maximumLength: maximumLength(of: fetch))
        } catch {
            guard error.isUnreachable, let stored = fetch.fallback(for: .unreachable) else { throw error }
            return HopResponse(stored, .staleArchive)
        }
        if StaleOnError.serverErrorStatuses.contains(came.response.status),
            let stored = fetch.fallback(for: .serverError)
        {
            return HopResponse(stored, .staleArchive)
        }
        let recorder = ExchangeRecorder(rules: options.recording, archive: archives.recording)
        if came.response.status == 304, !fetch.conditions.isEmpty, let stored = fetch.forwarded.replaced {
            guard let (fresh, recording) = recorder.refresh(stored, by: came, for: fetch.forwarded) else {
                // The server refers to a different response.
                var unconditional = fetch
                unconditional.conditions = []
                return try await self.fetch(unconditional)
            }
            return HopResponse(fresh, .validated, recording)
        }
        let exchange = StoredExchange(
            url: fetch.forwarded.url, request: fetch.forwarded.request, response: came.response,
            body: came.body.length > 0 ? .spooled(came.body) : nil,
            time: came.time)
        return HopResponse(exchange, .network, recorder.record(exchange, for: fetch.forwarded))
    }

    /// Returns the maximum length of a body: one that no caller waits for is useful only if it is recorded.
    private func maximumLength(of fetch: NetworkFetch) -> UInt64 {
        fetch.isInBackground
            ? min(options.maximumResponseLength, options.recording.maximumBodyLength) : options.maximumResponseLength
    }

    /// Refreshes one URL at a time, with its whole body.
    func refreshInBackground(_ original: NetworkFetch) {
        let fetch = original.ofWhole
        let url = fetch.forwarded.url
        refreshing.withLock { refreshing in
            guard refreshing[url] == nil else { return }
            refreshing[url] = Task(executorPreference: LoadingExecutor.shared) {
                do throws(URLError) {
                    let refreshed = try await self.fetch(fetch)
                    self.cookies.store(refreshed.response.headers, from: fetch.request)
                    if case .notStored = refreshed.recording { self.noteUnrecorded(url) }
                } catch {
                    // All else is tried again with the next request.
                    if error.code == .dataLengthExceedsMaximum { self.noteUnrecorded(url) }
                }
                self.refreshing.withLock { _ = $0.removeValue(forKey: url) }
            }
        }
    }

    /// Loads the whole body of a partial response of the server.
    func loadWholeBody(behind part: HopResponse, of original: NetworkFetch) {
        guard options.loadsWholeBodies, part.response.status == 206, part.source == .network, archives.recording != nil,
            original.forwarded.request.method == "GET",
            let length = part.response.headers["Content-Range"].flatMap(ContentRangeField.init)?.completeLength,
            length <= options.recording.maximumBodyLength, !options.connectivity.isMetered,
            !unrecorded.withLock({ $0.contains(original.forwarded.url) })
        else { return }
        refreshInBackground(original)
    }

    private func noteUnrecorded(_ url: CanonicalURL) {
        unrecorded.withLock { urls in
            if urls.count >= Self.maximumUnrecordedCount { urls.removeAll() }
            urls.insert(url)
        }
    }

    /// Waits for the refreshes that have begun.
    func finishRefreshing() async {
        for task in refreshing.withLock({ Array($0.values) }) { await task.value }
    }
}
