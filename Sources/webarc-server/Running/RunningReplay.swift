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

/// A running server, with all its parts, until a signal ends it.
final class RunningReplay {
    let server: ReplayServer
    private let watch: any Sendable
    private let ended = DispatchSemaphore(value: 0)
    private var sources: [any DispatchSourceSignal] = []

    /// Serves one site.
    ///
    /// - Parameters:
    ///   - service: the options of the service; nil for those of the command line.
    ///   - onChange: a function that is called with the files that are served again.
    convenience init(
        _ library: ArchiveLibrary, _ options: ReplayOptions, host: String, port: Int, authority: DeviceAuthority?,
        service: ReplayService.Options? = nil, onChange: @escaping @Sendable ([FilePath]) -> Void = { _ in }
    ) throws {
        let logger = DiagnosticsLogHandler.logger
        let service = ReplayService(
            library, options: service ?? options.service, log: try options.log(), logger: logger)
        try self.init(service, options, host: host, port: port, authority: authority) {
            let watch = ArchiveWatch(library, counters: service.counters, logger: logger, onChange: onChange)
            return (watch, watch.reload)
        }
    }

    /// Serves the sites of a catalogue.
    convenience init(
        _ catalogue: ArchiveCatalogue, _ options: ReplayOptions, host: String, port: Int, domain: String?
    ) throws {
        let logger = DiagnosticsLogHandler.logger
        var settings = options.service
        settings.domain = domain
        let service = ReplayService(catalogue, options: settings, log: try options.log(), logger: logger)
        try self.init(service, options, host: host, port: port, authority: nil) {
            let watch = CatalogueWatch(catalogue, counters: service.counters, logger: logger)
            return (watch, watch.reload)
        }
    }

    /// - Parameter watch: a function that makes the watcher of the files, and a function for an immediate check.
    private init(
        _ service: ReplayService, _ options: ReplayOptions, host: String, port: Int, authority: DeviceAuthority?,
        watch: () -> (watcher: any Sendable, reload: @Sendable () -> Void)
    ) throws {
        let files = Self.raiseFileLimit()
        var server = ReplayServer.Options()
        server.host = host
        server.port = port
        server.authority = authority
        // Archives, their parts and logs take descriptors as well.
        let connections = max(1, files - min(128, files / 2))
        // Few servers have more than 4,096 at once, and most systems allow somewhat less than the default.
        if connections < min(options.maxConnections, 4096) {
            Diagnostics.warn(
                "at most \(connections) connections, not \(options.maxConnections): a process may have \(files) open files here; raise the limit (ulimit -n, LimitNOFILE)"
            )
        }
        server.maximumConnections = min(options.maxConnections, connections)
        server.threads = options.threads.count
        signal(SIGPIPE, SIG_IGN)
        // Before the first request, so that no signal is lost.
        sources = [SIGINT, SIGTERM].map { [ended] number in Self.source(number) { ended.signal() } }
        self.server = try ReplayServer(service, options: server)
        let reload: @Sendable () -> Void
        (self.watch, reload) = watch()
        sources.append(Self.source(SIGHUP, reload))
    }

    /// Waits for SIGINT or SIGTERM, and then stops after the current responses. A second signal ends at once.
    ///
    /// - Parameter whenSignalled: a function that is called before the server is stopped.
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

    /// Raises the limit of open files: every connection takes a descriptor, and many systems begin with 1024.
    ///
    /// - Returns: the limit.
    private static func raiseFileLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        let former = limit.rlim_cur
        limit.rlim_cur = min(limit.rlim_max, 1 << 20)
        let isRaised = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return Int(clamping: isRaised ? limit.rlim_cur : former)
    }
}
