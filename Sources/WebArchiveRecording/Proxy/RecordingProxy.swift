// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Logging
import NIOCore
import NIOPosix
import Synchronization
public import SystemPackage
public import WebArchive
public import WebArchiveServer

/// An HTTP proxy that forwards requests to their origin servers, and records the exchanges in an archive.
///
/// ```swift
/// let proxy = try await RecordingProxy.start("site.webarc", logger: Logger(label: "record"))
/// print("http://127.0.0.1:\(proxy.port)", try proxy.authority.publicKeyPin)
/// try await proxy.shutdown()
/// ```
///
/// Bodies reach the client as the server sends them, and are stored without their codings. Exchanges are committed while the proxy runs, so that a
/// process that is killed loses the last seconds alone.
public final class RecordingProxy: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let threads: NIOThreadPool
    private let channel: any Channel
    private let connections: OpenConnections
    private let forwarders: [NIOLoopBound<Forwarder>]
    let store: ExchangeStore
    private let options: Options

    /// The port on which the proxy listens, from 1 to 65,535.
    public let port: Int
    /// The authority that certifies the hosts of `https` to clients, who must trust it.
    public let authority: DeviceAuthority

    /// The counts so far.
    public var counts: RecordingCounts { store.state.withLock { $0.counts } }

    /// Starts a proxy that records into an archive, which is appended to if it exists.
    ///
    /// - Parameters:
    ///   - archive: the archive; it exists from the first commit on.
    ///   - options: the address, the limits and the rules of storing.
    ///   - logger: the log of failures, and of hosts whose clients refuse the authority.
    /// - Throws: errors of opening an archive; `io` if the address is in use or not of this machine; `invalidArgument` for trust roots that cannot be
    ///   read.
    public static func start(
        _ archive: FilePath, options: Options = Options(), logger: Logger
    ) async throws(ArchiveError) -> RecordingProxy {
        let store = try ExchangeStore(storing(archive, options, logger))
        let authority: DeviceAuthority
        do {
            authority = try options.authority ?? DeviceAuthority(recordingOn: "this run", now: Date())
        } catch {
            throw ArchiveError(.invalidArgument, "cannot make a certificate authority", cause: error)
        }
        let listener = ProxyListener(store, options, authority, logger, archive)
        do {
            return try await RecordingProxy(listener.start(), store, authority, options)
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw ConnectionParts.listeningError(host: options.host, port: options.port, error)
        }
    }

    private static func storing(_ archive: FilePath, _ options: Options, _ logger: Logger) -> StoringOptions {
        var storing = StoringOptions(path: archive)
        storing.keepsCredentials = options.keepsCredentials
        storing.withheldFields = options.withheldFields
        storing.keepsOriginals = options.keepsOriginals
        storing.leavesOutUnchanged = options.leavesOutUnchanged
        storing.maximumBodyLength = options.maximumBodyLength
        storing.maximumArchiveLength = options.maximumArchiveLength
        storing.commitInterval = options.commitInterval
        storing.onExchange = options.onExchange
        storing.onFailure = { error in logger.error("\(error)") }
        return storing
    }

    init(_ running: ProxyListener.Running, _ store: ExchangeStore, _ authority: DeviceAuthority, _ options: Options) {
        (group, threads, channel, connections, forwarders) = (
            running.group, running.threads, running.channel, running.connections, running.forwarders
        )
        (self.store, self.authority, self.options) = (store, authority, options)
        port = running.channel.localAddress?.port ?? options.port
    }

    /// Commits all exchanges that have ended, and what `adding` adds to the same commit, such as pages and records. It returns when that is on disk.
    ///
    /// - Parameter adding: a function that adds to the commit. ``ProxiedExchange`` values of the commit's exchanges were reported before.
    /// - Throws: errors of the writer and of `adding`; the exchanges then stay pending, and are written again later.
    package func commit(
        adding: @escaping @Sendable (CommitBuilder, GroupedBodies) throws(ArchiveError) -> Void
    ) async throws(ArchiveError) { try await store.commit(adding: adding) }

    /// Commits all exchanges that have ended.
    ///
    /// - Throws: errors of the writer; the exchanges then stay pending, and are written again later.
    public func commit() async throws(ArchiveError) { try await store.commit() }

    /// Makes a request by the proxy itself, and records the exchange. Redirects are not followed.
    ///
    /// A task that is cancelled ends the exchange, whose response is recorded as far as it came.
    ///
    /// - Parameters:
    ///   - request: the method, the URL and the fields; `Host` and the length of the body are added.
    ///   - body: the content; none by default.
    /// - Returns: the response as it is stored.
    /// - Throws: `invalidArgument` for a URL that is not of http or https, `io` if there is no response.
    package func load(_ request: ArchiveRequest, body: [UInt8] = []) async throws(ArchiveError) -> LoadedResponse {
        guard let target = ProxyTarget(request.url, host: [], tunnel: nil), let forwarder = forwarders.randomElement()
        else {
            throw ArchiveError(.invalidArgument, "'\(request.url)' is not an http or https URL")
        }
        var fields = ForwardedFields.ofRequest(request.headers, authority: target.authority)
        if !body.isEmpty { fields.set(name: "Content-Length", value: String(body.count)) }
        let outgoing = OutgoingRequest(
            method: request.method, target: target, fields: fields, framing: body.isEmpty ? .none : .length,
            version: "HTTP/1.1")
        let running = RunningLoad()
        let loaded: LoadedResponse? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                forwarder.execute { forwarder in
                    let exchange = Exchange(outgoing, forwarder, client: nil)
                    exchange.whenStored = { continuation.resume(returning: $0) }
                    running.begin(exchange, on: forwarder.eventLoop)
                    exchange.start()
                    if !body.isEmpty { exchange.send(ByteBuffer(bytes: body)) }
                    exchange.endRequest([])
                }
            }
        } onCancel: {
            running.cancel()
        }
        guard let loaded else { throw ArchiveError(.io, "no response from \(request.url)") }
        return loaded
    }

    /// Ends the connections, after their responses within some seconds, and commits the recorded exchanges. Only the first call does anything.
    ///
    /// A response that is not whole by then is recorded as far as it came.
    ///
    /// - Parameter limit: the maximum time for the responses.
    /// - Throws: errors of the last commit.
    public func shutdown(within limit: Duration = .seconds(5)) async throws(ArchiveError) {
        try? await channel.close()
        let ended = connections.quiesce(on: group.next())
        let timeout = group.next().scheduleTask(in: .nanoseconds(limit.nanoseconds)) { [connections] in
            connections.closeAll()
        }
        try? await ended.get()
        timeout.cancel()
        for forwarder in forwarders {
            try? await forwarder.eventLoop.submit { forwarder.value.close() }.get()
        }
        defer {
            Task { [group, threads] in
                try? await group.shutdownGracefully()
                try? await threads.shutdownGracefully()
            }
        }
        try await store.close()
    }
}
