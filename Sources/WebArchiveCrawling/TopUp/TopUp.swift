// SPDX-License-Identifier: Apache-2.0

package import Logging
package import SystemPackage
package import WebArchive
package import WebArchiveRecording

/// A loader of the requests that a proof missed, and of nothing else but their redirects, into the archive that lacks them.
package actor TopUp {
    /// The end of a request.
    package struct Outcome: Sendable {
        package let request: MissedRequests.Request
        /// The status of the last response; nil without one.
        package var status: Int?
        /// The reason why there is no response; nil if there is one.
        package var reason: String?

        /// Whether the archive has the response of a success now.
        package var isLoaded: Bool { status.map { $0 < 400 } ?? false }
    }

    private let requests: [MissedRequests.Request]
    private let proxy: RecordingProxy
    private let fields: HeaderFields
    private let hosts: [CanonicalURL]
    private var running: Task<Outcome, Never>?
    private var isStopping = false

    /// The number of redirects that are followed.
    private static let maximumRedirectCount = 10

    /// Starts the recorder.
    ///
    /// - Parameters:
    ///   - path: the archive.
    ///   - options: the options of the recorder. Its port and its commits belong to the loader.
    ///   - fields: the fields that requests to the hosts of `hosts` get.
    /// - Throws: `io` without the archive; errors of opening it, and of starting the recorder.
    package init(
        _ misses: MissedRequests, into path: FilePath, options: RecordingProxy.Options, fields: HeaderFields = [],
        hosts: [CanonicalURL] = [], logger: Logger
    ) async throws(ArchiveError) {
        guard FileStatus(of: path) != nil else {
            throw ArchiveError(
                .io, "no archive to complete", path: path.string, cause: Errno.noSuchFileOrDirectory)
        }
        var options = options
        (options.host, options.port) = ("127.0.0.1", 0)
        options.withheldFields += fields.map(\.name)
        (requests, self.fields, self.hosts) = (misses.requests, fields, hosts)
        proxy = try await RecordingProxy.start(path, options: options, logger: logger)
    }

    /// Loads the requests one after the other. To be called once.
    ///
    /// - Parameter report: a function that is called with each outcome.
    /// - Returns: the outcomes of the requests up to the end, or to ``stop()``.
    /// - Throws: errors of the commits.
    package func run(_ report: @Sendable (Outcome) -> Void) async throws(ArchiveError) -> [Outcome] {
        var outcomes: [Outcome] = []
        for request in requests where !isStopping {
            let task = Task { await load(request) }
            running = task
            let outcome = await task.value
            guard !isStopping else { break }
            outcomes.append(outcome)
            report(outcome)
        }
        try await proxy.shutdown()
        return outcomes
    }

    /// Ends the load, and the request that is running.
    package func stop() {
        isStopping = true
        running?.cancel()
    }

    private func load(_ request: MissedRequests.Request) async -> Outcome {
        var outcome = Outcome(request: request, reason: request.obstacle)
        guard outcome.reason == nil else { return outcome }
        var url = request.url
        for _ in 0...Self.maximumRedirectCount {
            guard let canonical = try? CanonicalURL(url) else { break }
            var headers: HeaderFields = ["Accept": "*/*", "Accept-Encoding": "gzip, deflate, br, zstd"]
            if hosts.contains(where: { $0.root == canonical.root }) {
                headers = HeaderFields(Array(headers) + Array(fields))
            }
            do throws(ArchiveError) {
                let sent = ArchiveRequest(method: request.method, url: url, headers: headers)
                let response = try await proxy.load(sent).response
                outcome.status = response.status
                guard let target = response.redirectTarget(from: canonical) else { return outcome }
                url = target
            } catch {
                (outcome.status, outcome.reason) = (nil, error.message)
                return outcome
            }
        }
        (outcome.status, outcome.reason) = (nil, "more than \(Self.maximumRedirectCount) redirects")
        return outcome
    }
}
