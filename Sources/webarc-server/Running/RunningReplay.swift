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
        let files = FileLimit.raise()
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
        sources = [SIGINT, SIGTERM].map { [ended] number in SignalSource.make(number) { ended.signal() } }
        self.server = try ReplayServer(service, options: server)
        let reload: @Sendable () -> Void
        (self.watch, reload) = watch()
        sources.append(SignalSource.make(SIGHUP, reload))
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
}
