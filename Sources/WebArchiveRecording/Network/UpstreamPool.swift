// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import NIOSSL

/// The connections to origin servers of one event loop, which are kept for further requests.
final class UpstreamPool {
    /// The common settings of all pools of a proxy.
    struct Settings: Sendable {
        var rules = CheckedResolver.Rules()
        var threads: NIOThreadPool
        var tls: UpstreamTLS
    }

    let eventLoop: any EventLoop
    private let settings: Settings
    private var idle: [OriginServer: [HTTP1Upstream]] = [:]
    private var connections: [OriginServer: HTTP2Connection] = [:]
    /// The servers of TLS that do not negotiate HTTP/2.
    private var serversOfHTTP1: Set<OriginServer> = []
    /// The requests that wait for the first connection to a server.
    private var waiting: [OriginServer: [(UpstreamFailure?) -> Void]] = [:]
    private var isSweeping = false
    private var isClosed = false

    /// The time after which an idle connection is closed.
    private static let maximumIdleTime = TimeAmount.seconds(30)
    /// The maximum number of idle connections to one server, and of servers with idle connections.
    private static let maximumIdleCount = 16
    private static let maximumIdleServerCount = 64
    private static let maximumKnownCount = 100_000
    private static let connectTimeout = TimeAmount.seconds(15)

    init(on eventLoop: any EventLoop, _ settings: Settings) { (self.eventLoop, self.settings) = (eventLoop, settings) }

    /// Returns an idle connection; nil if there is none.
    func take(_ server: OriginServer) -> HTTP1Upstream? {
        while let found = idle[server]?.popLast() {
            if found.isActive { return found }
        }
        return nil
    }

    /// Keeps a connection for the next request.
    func giveBack(_ upstream: HTTP1Upstream) {
        let isKnown = idle[upstream.server] != nil
        guard !isClosed, idle[upstream.server, default: []].count < Self.maximumIdleCount,
            isKnown || idle.count < Self.maximumIdleServerCount
        else { return upstream.close() }
        idle[upstream.server, default: []].append(upstream)
        sweepLater()
    }

    /// Forgets a connection that has ended.
    func forget(_ upstream: HTTP1Upstream) {
        guard let place = idle[upstream.server]?.firstIndex(where: { $0 === upstream }) else { return }
        idle[upstream.server]?.remove(at: place)
    }

    /// Makes a connection, or opens a stream of one, and calls `work` with it or with the reason why there is none, on the event loop.
    ///
    /// - Parameter requiresHTTP1: whether the connection is to be one of HTTP/1.1, which a WebSocket needs.
    func connect(
        _ server: OriginServer, requiresHTTP1: Bool = false,
        _ work: @escaping (Result<any UpstreamStream, UpstreamFailure>) -> Void
    ) {
        guard server.isSecure, !requiresHTTP1, !serversOfHTTP1.contains(server) else {
            return makeConnection(server, requiresHTTP1: requiresHTTP1) { _, result in work(result) }
        }
        if let connection = connections[server], connection.isActive {
            return connection.open { [self] stream in
                guard let stream else { return makeFirst(server, work) }
                work(.success(stream))
            }
        }
        // Until the first connection has negotiated a protocol, others would be too many if it is HTTP/2.
        guard waiting[server] == nil else {
            waiting[server, default: []].append { [self] failure in
                if let failure { work(.failure(failure)) } else { connect(server, work) }
            }
            return
        }
        makeFirst(server, work)
    }

    private func makeFirst(
        _ server: OriginServer, _ work: @escaping (Result<any UpstreamStream, UpstreamFailure>) -> Void
    ) {
        if waiting[server] == nil { waiting[server] = [] }
        makeConnection(server, requiresHTTP1: false) { [self] isHTTP2, result in
            if isHTTP2 == false, serversOfHTTP1.count < Self.maximumKnownCount { serversOfHTTP1.insert(server) }
            let others = waiting.removeValue(forKey: server) ?? []
            work(result)
            var failure: UpstreamFailure?
            if case .failure(let error) = result { failure = error }
            for other in others { other(failure) }
        }
    }

    /// Makes a new connection.
    private func makeConnection(
        _ server: OriginServer, requiresHTTP1: Bool,
        _ work: @escaping (Bool?, Result<any UpstreamStream, UpstreamFailure>) -> Void
    ) {
        CheckedResolver.make(
            server.host, port: server.port, settings.rules, on: eventLoop, threads: settings.threads
        ).flatMap { [eventLoop] resolver in
            ClientBootstrap(group: eventLoop)
                .resolver(resolver)
                .connectTimeout(Self.connectTimeout)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelOption(.autoRead, value: false)
                .channelOption(.maxMessagesPerRead, value: 4)
                .channelOption(.writeBufferWaterMark, value: .init(low: 64 << 10, high: 256 << 10))
                .channelInitializer { channel in channel.eventLoop.makeSucceededVoidFuture() }
                .connect(host: server.host, port: server.port)
        }.flatMap { [tls = settings.tls] channel in
            // Only on the connection that was the first to be made, where nothing has been read yet.
            let negotiated =
                server.isSecure
                ? tls.start(on: channel, host: server.host, requiresHTTP1: requiresHTTP1)
                : channel.eventLoop.makeSucceededFuture(nil)
            return negotiated.map { (channel, $0) }
        }.assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success(let (channel, name)):
                do {
                    try begin(name, on: channel, server) { work(name == "h2", $0) }
                } catch {
                    channel.close(promise: nil)
                    work(nil, .failure(Self.failure(error)))
                }
            case .failure(let error): work(nil, .failure(Self.failure(error)))
            }
        }
    }

    /// Begins the negotiated protocol on a connection.
    private func begin(
        _ name: String?, on channel: any Channel, _ server: OriginServer,
        _ work: @escaping (Result<any UpstreamStream, UpstreamFailure>) -> Void
    ) throws {
        guard name == "h2" else {
            let upstream = HTTP1Upstream(server, self)
            try channel.pipeline.syncOperations.addHandler(upstream)
            return work(.success(upstream))
        }
        let connection = try HTTP2Connection(channel)
        connections[server] = connection
        sweepLater()
        connection.open { stream in work(stream.map { .success($0) } ?? .failure(.closed)) }
    }

    /// Returns the failure for an error of resolving, connecting or TLS.
    private static func failure(_ error: any Error) -> UpstreamFailure {
        switch error {
        case let refusal as CheckedResolver.Refusal: .refused(refusal)
        case let error as NIOConnectionError:
            .unreachable(error.connectionErrors.first.map { "\($0.error)" } ?? "no connection")
        case let error as NIOSSLError: .untrusted("\(error)")
        case let error as BoringSSLError: .untrusted("\(error)")
        default: .unreachable("\(error)")
        }
    }

    // MARK: - Idle connections

    /// Closes connections that were idle for long, as long as there are any.
    private func sweepLater() {
        guard !isSweeping else { return }
        isSweeping = true
        eventLoop.assumeIsolated().scheduleTask(in: .seconds(15)) { [weak self] in
            guard let self else { return }
            isSweeping = false
            let limit = eventLoop.now - Self.maximumIdleTime
            for upstream in idle.values.joined() where upstream.idleSince < limit { upstream.close() }
            idle = idle.filter { !$0.value.isEmpty }
            for connection in connections.values where connection.isIdle(since: limit) { connection.close() }
            connections = connections.filter { $0.value.isActive }
            if !idle.isEmpty || !connections.isEmpty { sweepLater() }
        }
    }

    /// Closes all idle connections.
    func close() {
        isClosed = true
        for upstream in idle.values.joined() { upstream.close() }
        for connection in connections.values { connection.close() }
        (idle, connections) = ([:], [:])
    }
}
