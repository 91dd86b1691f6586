// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import WebArchiveURLProtocol
import WebarcCommandLine

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session of the URL loading system with an archive, which loads one request after the other.
final class ArchiveSession: Sendable {
    private let session: URLSession
    private let installation: ArchiveInstallation
    private let log: LoadLog

    /// Responds from an archive, and records into it.
    convenience init(recording archive: RecordingArchive, _ policy: ArchivePolicy, rules: RecordingRules, offline: Bool)
    {
        self.init(rules, rules.maximumBodyLength, offline) { $0.install(archive, policy: policy, options: $1) }
    }

    /// Responds from an archive, which does not change.
    convenience init(reading archive: ArchiveReader, _ policy: ArchivePolicy, maximumLength: UInt64, offline: Bool) {
        self.init(RecordingRules(), maximumLength, offline) {
            $0.install(bundles: [archive], policy: policy, options: $1)
        }
    }

    private init(
        _ rules: RecordingRules, _ maximumLength: UInt64, _ offline: Bool,
        install: (URLSessionConfiguration, SessionOptions) -> ArchiveInstallation
    ) {
        let log = LoadLog()
        var options = SessionOptions()
        options.connectivity.isOffline = offline
        options.onResponse = { log.note($0) }
        options.recording = rules
        options.maximumResponseLength = maximumLength
        // A field of --header may be a key, such as X-Api-Key, for the requested origin.
        options.keepsFieldsAcrossOrigins = false
        let configuration = URLSessionConfiguration.ephemeral
        installation = install(configuration, options)
        session = URLSession(configuration: configuration)
        self.log = log
    }

    /// Waits for the loads in the background.
    func finish() {
        let done = DispatchSemaphore(value: 0)
        Task { [installation] in
            await installation.finishRefreshing()
            done.signal()
        }
        done.wait()
    }

    deinit { session.invalidateAndCancel() }

    /// Loads a URL, and waits for the response.
    ///
    /// - Parameter whileWaiting: a function that is called ten times a second.
    /// - Throws: `URLError`.
    func load(_ url: URL, _ template: RequestTemplate, whileWaiting: () -> Void = {}) throws -> FetchedResponse {
        log.clear()
        var request = URLRequest(url: url)
        request.httpMethod = template.method
        request.httpBody = template.body
        request.timeoutInterval = template.timeout.inSeconds
        for field in template.fields { request.addValue(field.value, forHTTPHeaderField: field.name) }
        let result = Mutex<(Data?, URLResponse?, (any Error)?)>((nil, nil, nil))
        let done = DispatchSemaphore(value: 0)
        session.dataTask(with: request) { data, response, error in
            result.withLock { $0 = (data, response, error) }
            done.signal()
        }.resume()
        while done.wait(timeout: .now() + .milliseconds(100)) == .timedOut { whileWaiting() }
        let (data, response, error) = result.withLock { $0 }
        if let error { throw error }
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return FetchedResponse(hops: log.events, fields: HeaderFields(response.allHeaderFields), body: data ?? Data())
    }
}

/// The log of a load in progress.
private final class LoadLog: Sendable {
    private let state = Mutex<[LoadEvent]>([])

    var events: [LoadEvent] { state.withLock { $0 } }

    func clear() { state.withLock { $0 = [] } }

    func note(_ event: LoadEvent) { state.withLock { $0.append(event) } }
}
