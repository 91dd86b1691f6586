// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import SystemPackage
import WebArchive
import WebArchiveServer
import WebarcCommandLine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A server that runs, with all that belongs to it, until a signal ends it.
final class RunningReplay {
    let server: ReplayServer
    private let watch: ArchiveWatch
    private let ended = DispatchSemaphore(value: 0)
    private var sources: [any DispatchSourceSignal] = []

    /// - Parameters:
    ///   - service: what is served beside the archives; nil for what the options say.
    ///   - onChange: called with the files that are served anew.
    init(
        _ library: ArchiveLibrary, _ options: ReplayOptions, host: String, port: Int, authority: DeviceAuthority?,
        service: ReplayService.Options? = nil, onChange: @escaping @Sendable ([FilePath]) -> Void = { _ in }
    ) throws {
        Self.raiseFileLimit()
        let logger = DiagnosticsLogHandler.logger
        let service = ReplayService(
            library, options: service ?? options.service, log: try options.log(), logger: logger)
        var server = ReplayServer.Options()
        server.host = host
        server.port = port
        server.authority = authority
        server.maximumConnections = options.maxConnections
        server.threads = options.threads.count
        signal(SIGPIPE, SIG_IGN)
        // Before the first request, so that no signal is lost.
        sources = [SIGINT, SIGTERM].map { [ended] number in Self.source(number) { ended.signal() } }
        self.server = try ReplayServer(service, options: server)
        let watch = ArchiveWatch(service.library, counters: service.counters, logger: logger, onChange: onChange)
        self.watch = watch
        sources.append(Self.source(SIGHUP) { watch.reload() })
    }

    /// Waits for SIGINT or SIGTERM, and then stops: what is being answered is finished. A second signal ends at once.
    ///
    /// - Parameter whenSignalled: called before the server is stopped.
    func waitForSignal(_ whenSignalled: () -> Void = {}) {
        ended.wait()
        whenSignalled()
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        server.stop()
    }

    private static func source(_ number: Int32, _ handler: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: handler)
        source.resume()
        return source
    }

    /// Every connection takes a descriptor, and many systems begin with 1024.
    private static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 1 << 20)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
