// SPDX-License-Identifier: Apache-2.0

import Logging
import NIOCore
import NIOPosix
import SystemPackage
import WebArchive
import WebArchiveServer

/// A builder of the channels of a recording proxy.
struct ProxyListener {
    /// The parts of a proxy that listens.
    struct Running {
        let group: MultiThreadedEventLoopGroup
        let threads: NIOThreadPool
        let channel: any Channel
        let connections: OpenConnections
        let forwarders: [NIOLoopBound<Forwarder>]
    }

    private let store: ExchangeStore
    private let options: RecordingProxy.Options
    private let logger: Logger
    private let capturing: CapturingOptions
    private let partials = PartialResponses()
    private let held = HeldResponses()
    private let authority: DeviceAuthority

    init(
        _ store: ExchangeStore, _ options: RecordingProxy.Options, _ authority: DeviceAuthority, _ logger: Logger,
        _ archive: FilePath
    ) {
        (self.store, self.options, self.authority, self.logger) = (store, options, authority, logger)
        let folder = archive.removingLastComponent()
        capturing = CapturingOptions(
            folders: [folder.isEmpty ? "." : folder, SpooledBody.temporaryFolder],
            maximumBodyLength: options.maximumBodyLength, keepsOriginals: options.keepsOriginals)
    }

    /// Starts to listen.
    ///
    /// - Throws: errors of SwiftNIO.
    func start() async throws -> Running {
        let certificates = try TunnelCertificates(authority)
        let tls = try UpstreamTLS(trustRoots: options.trustRoots)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, options.threads))
        let threads = NIOThreadPool(numberOfThreads: 4)
        threads.start()
        let own = OwnAddress()
        var rules = CheckedResolver.Rules(allowsPrivate: options.allowsPrivateTargets)
        rules.own = { own.contains($0) }
        let settings = UpstreamPool.Settings(rules: rules, threads: threads, tls: tls)
        do {
            var forwarders: [NIOLoopBound<Forwarder>] = []
            for eventLoop in group.makeIterator() {
                forwarders.append(try await eventLoop.submit { forwarder(eventLoop, settings, certificates) }.get())
            }
            let connections = OpenConnections()
            let channel = try await bind(group, connections, forwarders)
            own.set(channel.localAddress)
            return Running(
                group: group, threads: threads, channel: channel, connections: connections, forwarders: forwarders)
        } catch {
            try? await group.shutdownGracefully()
            try? await threads.shutdownGracefully()
            throw error
        }
    }

    private func forwarder(
        _ eventLoop: any EventLoop, _ settings: UpstreamPool.Settings, _ certificates: TunnelCertificates
    ) -> NIOLoopBound<Forwarder> {
        NIOLoopBound(
            Forwarder(
                UpstreamPool(on: eventLoop, settings), store, partials, held, capturing, certificates,
                maximumDetachedTime: .nanoseconds(options.maximumDetachedTime.nanoseconds), logger),
            eventLoop: eventLoop)
    }

    private func bind(
        _ group: MultiThreadedEventLoopGroup, _ connections: OpenConnections, _ forwarders: [NIOLoopBound<Forwarder>]
    ) async throws -> any Channel {
        let limit = options.maximumConnections
        let byLoop = Dictionary(uniqueKeysWithValues: forwarders.map { (ObjectIdentifier($0.eventLoop), $0) })
        return try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let forwarder = byLoop[ObjectIdentifier(channel.eventLoop)],
                        connections.add(channel, limit: limit)
                    else {
                        channel.close(promise: nil)
                        return
                    }
                    try ClientPipeline(forwarder.value).configure(channel)
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 64 << 10, high: 256 << 10))
            .bind(host: options.host, port: options.port).get()
    }
}
