// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Synchronization
package import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An HTTP server that responds from archives.
///
/// ```swift
/// let library = try ArchiveLibrary(["docs.webarc"])
/// let service = ReplayService(library, logger: Logger(label: "docs"))
/// try await ReplayServer.run(service) { server in
///     print("http://localhost:\(server.port)/")
/// }
/// ```
///
/// ``run(_:options:whenListening:)`` serves until its task is cancelled. It uses HTTP/1.1, and over the TLS of a proxy HTTP/2 as well.
/// A request has at most 200 header fields and 64 KiB of them. A connection without progress ends after 60 seconds.
public final class ReplayServer: Sendable {
    /// The options of a server: its address, its limits, and its certificate authority.
    public struct Options: Sendable {
        /// The address to listen on, or a name of one: `127.0.0.1` by default, `0.0.0.0` or `::` for all of this machine.
        ///
        /// It determines the names of the server: those of loopback addresses always, this address, and with all
        /// addresses those of all interfaces and the names of the machine. ``ReplayService/Options/ownNames`` adds others.
        public var host = "127.0.0.1"
        /// The port to listen on, 8080 by default; 0 for any free one, which ``ReplayServer/port`` returns.
        public var port = 8080
        /// The certificate authority that certifies the hosts of the archives to clients that use the server as their proxy; nil,
        /// as by default, for no proxy.
        ///
        /// Clients must trust it. The proxy responds only from archives, and connects to no other server.
        public var authority: DeviceAuthority?
        /// The maximum number of open connections, 20,000 by default; more are closed at once, and counted.
        public var maximumConnections = 20_000
        /// The number of threads that read requests and write responses: one for each processor by default; less than 1 counts as 1.
        ///
        /// Three more make the responses that take long, and two of them those that take very long.
        public var threads = System.coreCount
        /// The descriptor of a socket that listens already, in the place of ``host`` and ``port``; nil, as by default, for one of the server's own.
        ///
        /// The server closes it. ``host`` still determines the names of the server.
        package var socket: CInt?
        /// A function that is called first for each connection, which is closed if it throws.
        ///
        /// It is for tests.
        var setUp: (@Sendable (any Channel) throws -> Void)?

        /// Creates options with the defaults of `webarc serve`.
        public init() {}
    }

    /// The event loops, of which each has a thread.
    private let group: MultiThreadedEventLoopGroup
    /// The channel that listens.
    private let channel: any Channel
    /// The workers that make slow responses. Pages of the explorer use two of the threads at most.
    ///
    /// Long jobs never use all of them; see ``FairScheduler``.
    let workers = FairScheduler(threads: 3)
    /// The connections that were accepted, for their limit and the end of the server.
    private let connections: OpenConnections
    /// Whether ``stop(within:)`` was called.
    private let isStopping = Mutex(false)

    /// The port on which the server listens, from 1 to 65,535.
    public let port: Int
    /// The service whose responses the server sends.
    public let service: ReplayService

    /// Starts to listen, and blocks until it does. Do not call it on an event loop or a thread of Swift's tasks.
    ///
    /// - Throws: `io` if the address is in use or not of this machine, with a suggested recovery if there is one; `invalidArgument` for a
    ///   certificate authority that TLS cannot use.
    package init(_ service: ReplayService, options: Options = Options()) throws(ArchiveError) {
        self.service = service
        let tunnels: TunnelCertificates?
        do {
            tunnels = try options.authority.map(TunnelCertificates.init)
        } catch {
            workers.stop()
            throw Self.authorityError(error)
        }
        group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, options.threads))
        let connections = OpenConnections()
        self.connections = connections
        do {
            let pipeline = ReplayPipeline(
                service: service, workers: workers, tunnels: tunnels,
                names: ServerNames(
                    listeningOn: options.host, added: service.options.ownNames, domain: service.options.domain))
            let isProxy = options.authority != nil
            let limit = options.maximumConnections
            // One client must not keep out all others; many can have one address, that of a proxy or of a school.
            let clientLimit = ClientChannelLimit(limit - limit / 4)
            let bootstrap = ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 4096)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try options.setUp?(channel)
                        let counters = service.counters
                        counters.count(.connections)
                        // A client without an address has closed the connection meanwhile, and is charged nothing.
                        guard let address = channel.remoteAddress?.hostText,
                            clientLimit.open(channel, of: ContentShare.client(address)),
                            connections.add(channel, limit: limit)
                        else {
                            counters.count(.refusedConnections)
                            channel.close(promise: nil)
                            return
                        }
                        counters.count(.openConnections)
                        channel.closeFuture.whenComplete { _ in counters.count(.openConnections, -1) }
                        var connection = ReplayConnection()
                        connection.isProxy = isProxy
                        connection.address = address
                        connection.mayBeCoded = service.options.codesContent(for: channel.remoteAddress)
                        try pipeline.configureHTTP1(channel, connection)
                    }
                }
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                // Requests that come after an unsent response wait as objects, many times as long: so little is read at a time.
                .childChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
                // No more than a block waits for a client, and the system holds little unsent data: so memory is bounded, and a
                // slow client visibly makes progress.
                .childChannelOption(.writeBufferWaterMark, value: .init(low: 32 << 10, high: 64 << 10))
                .childChannelOption(.tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT)), value: 256 << 10)
            let bound = options.socket.map { bootstrap.withBoundSocket($0) }
            channel = try (bound ?? bootstrap.bind(host: options.host, port: options.port)).wait()
            let listener = channel
            try listener.eventLoop.submit {
                try listener.pipeline.syncOperations.addHandler(AcceptErrors(service))
            }.wait()
            port = channel.localAddress?.port ?? options.port
        } catch {
            workers.stop()
            try? group.syncShutdownGracefully()
            throw Self.listeningError(host: options.host, port: options.port, error)
        }
    }

    /// Blocks until the server no longer listens.
    ///
    /// It returns when the channel that listens is closed, while connections may still be open.
    package func wait() { try? channel.closeFuture.wait() }

    /// Blocks, accepts no more connections, ends idle ones, waits for the others, and then ends the rest.
    ///
    /// Only the first call does anything.
    ///
    /// It must not be called on an event loop. Lines of the access log are written before it returns, unless their reader takes none for two seconds.
    ///
    /// - Parameter limit: the maximum time for the others.
    package func stop(within limit: Duration = .seconds(10)) {
        let isFirst = isStopping.withLock { isStopping in
            defer { isStopping = true }
            return !isStopping
        }
        guard isFirst else { return }
        try? channel.close().wait()
        settleAcceptedConnections()
        let ended = connections.quiesce(on: group.next())
        let timeout = group.next().scheduleTask(in: .nanoseconds(limit.nanoseconds)) { [connections] in
            connections.closeAll()
        }
        try? ended.wait()
        timeout.cancel()
        // It may just be working, and the connections that it closes need event loops that exist.
        try? timeout.futureResult.wait()
        // First of all, since their results are passed to the group.
        workers.stop()
        try? group.syncShutdownGracefully()
        service.log?.flush(within: .seconds(2))
    }

    /// Waits for connections that were accepted just before the end: they move from the event loop that accepts to their own, back, and,
    /// since nothing listens any more, to their own again. None must reach an event loop that has been shut down.
    ///
    /// Each round waits for the work that every event loop had at its start.
    private func settleAcceptedConnections() {
        for _ in 0..<3 {
            for eventLoop in group.makeIterator() { try? eventLoop.submit {}.wait() }
        }
    }
}
