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
    private var isSweeping = false
    private var isClosed = false

    /// The time after which an idle connection is closed.
    private static let maximumIdleTime = TimeAmount.seconds(30)
    /// The maximum number of idle connections to one server.
    private static let maximumIdleCount = 16
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
        guard !isClosed, idle[upstream.server, default: []].count < Self.maximumIdleCount else {
            return upstream.close()
        }
        idle[upstream.server, default: []].append(upstream)
        sweepLater()
    }

    /// Forgets a connection that has ended.
    func forget(_ upstream: HTTP1Upstream) {
        guard let place = idle[upstream.server]?.firstIndex(where: { $0 === upstream }) else { return }
        idle[upstream.server]?.remove(at: place)
    }

    /// Makes a new connection, and calls `work` with it or with the reason why there is none, on the event loop.
    func connect(_ server: OriginServer, _ work: @escaping (Result<any UpstreamStream, UpstreamFailure>) -> Void) {
        let upstream = HTTP1Upstream(server, self)
        let bound = NIOLoopBound(upstream, eventLoop: eventLoop)
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
                server.isSecure ? tls.start(on: channel, host: server.host) : channel.eventLoop.makeSucceededFuture(nil)
            return negotiated.map { _ in channel }
        }.flatMap { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(bound.value)
            }
        }.assumeIsolated().whenComplete { result in
            switch result {
            case .success: work(.success(upstream))
            case .failure(let error): work(.failure(Self.failure(error)))
            }
        }
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
            if !idle.isEmpty { sweepLater() }
        }
    }

    /// Closes all idle connections.
    func close() {
        isClosed = true
        for upstream in idle.values.joined() { upstream.close() }
        idle = [:]
    }
}
